// The queries of queries.sql, and what it takes to run them on several copies of their tables and compare the rows.
import { text } from './node_harness.mjs';

export const TABLE = /\b(Devices|Readings|Alerts)\b/g;
// Text, blob and number literals, but not the digits of identifiers, nor column positions in ORDER BY and GROUP BY.
const LITERAL = /x'[0-9a-f]*'|'(?:[^']|'')*'|(?<![\w.'])\d+(?:\.\d+)?(?:e\d+)?(?![\w.'])/g;

export const queries = text('queries.sql').split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('--'));

/** The query with ? for its literals, and their values; undefined if that would change its meaning. */
export function bound(query) {
  if (/\bBY \d|VALUES/.test(query)) return undefined;
  const values = [];
  const sql = query.replace(LITERAL, (literal) => {
    if (literal.startsWith('x')) values.push(Buffer.from(literal.slice(2, -1), 'hex'));
    else if (literal.startsWith("'")) values.push(literal.slice(1, -1).replaceAll("''", "'"));
    else values.push(/[.e]/.test(literal) ? Number(literal) : BigInt(literal));
    return '?';
  });
  // The digits of -9223372036854775808 are one too large without their sign.
  if (values.some((value) => typeof value === 'bigint' && value !== BigInt.asIntN(64, value))) return undefined;
  return values.length ? { sql, values } : undefined;
}

/** Table names numbered from 0; those for which keep(number) is false get the prefix: the ordinary copy. */
export function withTables(query, keep, prefix = 'n_') {
  let number = 0;
  return query.replace(TABLE, (name) => (keep(number++) ? name : `${prefix}${name}`));
}

/** A row as text that tells integers, doubles and text apart. */
export const show = (row) => JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? `${v}n` : v === Infinity ? 'Inf' : v));

/** The rows of a query as text, sorted unless the query orders them. */
export function rows(db, sql, values) {
  const list = db.prepare(sql).raw().safeIntegers().all(...values).map(show);
  return sql.startsWith('/*ordered*/') ? list : list.sort();
}
