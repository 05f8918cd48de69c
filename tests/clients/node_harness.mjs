// What the Node suites share: registering tests, and a database with the extension loaded. The lines printed are those
// of harness.py: "ok   SUITE: NAME", or "FAIL SUITE: NAME" with the reason below it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const HERE = path.dirname(fileURLToPath(import.meta.url));
export const SO = process.env.TABLE_STORAGE_SO;
// better-sqlite3 is installed in a build folder, not beside this file.
export const Database = createRequire(path.join(process.env.CLIENTS_DIR, 'node', 'package.json'))('better-sqlite3');

const tests = [];
export const test = (name, body) => tests.push({ name, body });

export function connect(file, options) {
  const db = new Database(file, options);
  db.loadExtension(SO);
  return db;
}

/** A database of its own with the tables of data.sql. */
export function filled(folder, name = 'data.db') {
  const db = connect(path.join(folder, name));
  db.exec(text('data.sql'));
  return db;
}

export const text = (name) => fs.readFileSync(path.join(HERE, name), 'utf8');

/** The error that body throws; its code and message must be as given. */
export function fails(body, code, ...parts) {
  try {
    body();
  } catch (error) {
    assert.equal(error.code, code, error.message);
    for (const part of parts) assert.ok(error.message.includes(part), `"${part}" is not in: ${error.message}`);
    return error;
  }
  assert.fail(`no error, but ${code} with ${parts} was expected`);
}

/** Descriptors of this process that belong to files in the folder. */
export function openFiles(folder) {
  return fs.readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

/** Runs the tests, one after the other, and ends the process. A test may be asynchronous. */
export async function run(suite) {
  let failed = 0;
  for (const { name, body } of tests) {
    if (process.argv[2] && !name.includes(process.argv[2])) continue;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'client-'));
    try {
      await body(folder);
      console.log(`ok   ${suite}: ${name}`);
    } catch (error) {
      failed++;
      const reason = `${error.message}\n${(error.stack ?? '').split('\n').filter((l) => l.includes('.mjs')).slice(0, 3).join('\n')}`;
      console.log(`FAIL ${suite}: ${name}\n     ${reason.replaceAll('\n', '\n     ')}`);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
  process.exit(failed ? 1 : 0);
}
