// What the tests against Azurite share: the emulator in a process of its own, Microsoft's client for it, and foreign
// tables that stand for its tables.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { connect } from './node_harness.mjs';

const require = createRequire(path.join(process.env.CLIENTS_DIR, 'azurite', 'package.json'));
export const { AzureNamedKeyCredential, TableClient, TableServiceClient } = require('@azure/data-tables');

const ACCOUNT = 'devstoreaccount1';
// The emulator's account key, which everybody knows.
export const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** A port of this machine on which nothing listens. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// The emulator ends when its standard input does, so it cannot outlive this process, however that ends.
const WRAPPER = "process.stdin.on('close', () => process.exit()).resume(); require(process.argv[1]);";

const listens = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

async function start(port) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'client-azurite-'));
  const log = path.join(process.env.CLIENTS_DIR, 'azurite', 'azurite.log');
  const output = fs.openSync(log, 'w');
  const main = require.resolve('azurite/dist/src/table/main.js');
  const emulator = spawn(process.execPath, ['-e', WRAPPER, '--', main, '--inMemoryPersistence', '--tableHost', '127.0.0.1',
    '--tablePort', String(port), '--skipApiVersionCheck', '--disableTelemetry', '--silent'],
  { cwd: folder, stdio: ['pipe', output, output] });
  process.on('exit', () => {
    emulator.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  for (let waited = 0; waited < 20000; waited += 50) {
    if (emulator.exitCode !== null) break;
    if (await listens(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Azurite did not start on port ${port}: ${fs.readFileSync(log, 'utf8')}`);
}

export const PORT = await freePort();
export const ENDPOINT = `http://127.0.0.1:${PORT}/${ACCOUNT}`;
await start(PORT);

const credential = new AzureNamedKeyCredential(ACCOUNT, KEY);
const clientOptions = { allowInsecureConnection: true };
export const service = new TableServiceClient(ENDPOINT, credential, clientOptions);

let made = 0;

/** A table of its own with a client for it. */
export async function newTable(name = `Table${made++}`) {
  const client = new TableClient(ENDPOINT, name, credential, clientOptions);
  await client.createTable();
  return client;
}

export const foreign = (name, columns, remote, more = '') => `CREATE VIRTUAL TABLE ${name} USING table_storage(
  ${columns}${columns ? ',' : ''} OPTIONS (table '${remote}', endpoint '${ENDPOINT}'${more}))`;

/** A database in a file, with one foreign table `r` for a table of the emulator. */
export function open(folder, client, columns, name = 'remote.db') {
  const db = connect(path.join(folder, name));
  db.exec(foreign('r', columns, client.tableName));
  return db;
}

// The client takes the number 22.0 for an Int32. The answer's text tells.
const withNumbersAsText = (body) => JSON.parse(body.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g,
  (token) => (token[0] === '"' ? token : `"${token}"`)));

/**
 * The entities as the client reads them, by "PartitionKey|RowKey" in the order of the service. A text is itself, every
 * other value its Edm type and its text: 'Int64 5'.
 */
export async function entities(client) {
  const all = {};
  const raw = [];
  const onResponse = (response) => raw.push(...withNumbersAsText(response.bodyAsText).value);
  for await (const entity of client.listEntities({ disableTypeConversion: true, onResponse })) {
    const { partitionKey, rowKey, etag, timestamp, ...properties } = entity;
    const { PartitionKey, RowKey, ...texts } = raw.shift();
    assert.deepEqual([PartitionKey, RowKey], [partitionKey, rowKey]);
    assert.ok(etag);
    for (const [name, { type, value }] of Object.entries(properties)) {
      if (type === 'String') properties[name] = value;
      else if (type === 'Int32' && texts[name].includes('.')) properties[name] = `Double ${value}`;
      else properties[name] = `${type} ${value}`;
    }
    all[`${partitionKey}|${rowKey}`] = properties;
  }
  return all;
}

/** Keys of a table, in the order of the service. */
export const keysOf = async (client) => Object.keys(await entities(client));
