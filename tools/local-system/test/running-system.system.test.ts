import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalSystem, startLocalSystem } from '../src/local-system.ts';
import { loadSecrets } from '../src/secrets.ts';
import { readPids, temporaryDataDir, waitUntil } from './data-folder.ts';
import { planStandIns } from './stand-in-system.ts';

const resources = new AsyncDisposableStack();
const lines: string[] = [];
let dataDir: string;
let system: LocalSystem;

beforeAll(async () => {
  dataDir = resources.use(await temporaryDataDir()).path;
  system = resources.use(
    await startLocalSystem({
      dataDir,
      planPrograms: planStandIns(),
      restartDelay: { first: 20, longest: 200 },
      report: line => lines.push(line),
    }),
  );
});
afterAll(() => resources.disposeAsync());

const stateOf = (name: string) => {
  const state = system.services[name];
  if (state === undefined) throw new Error(`There is no part ${name}.`);
  return state;
};

/** Returns the environment of a stand-in, which is its HTTP response. */
async function environmentOf(name: string): Promise<Record<string, string>> {
  return (await (await fetch(stateOf(name).url)).json()) as Record<string, string>;
}

it('starts every part and reports its start time', async () => {
  expect(Object.keys(system.services)).toEqual(['postgres', 'nats', 'processor', 'catalog', 'customers', 'gateway']);
  for (const name of Object.keys(system.services))
    expect(lines.some(line => line.startsWith(name) && /ready in \d+\.\d s/.test(line))).toBe(true);
  expect((await fetch(system.gatewayUrl)).status).toBe(200);
  expect(system.measureMemory().processes).toBeGreaterThan(6);
});

it('gives a service a working database role and NATS URL', async () => {
  const env = await environmentOf('catalog');
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  const { rows } = await client.query('select current_user::text as role, current_schema as schema');
  expect(rows).toEqual([{ role: 'billing_catalog', schema: 'catalog' }]);
  await client.end();

  const { host, username, password } = new URL(env['NATS_URL'] ?? '');
  const nats = await connect({ servers: host, user: username, pass: password });
  await nats.close();
});

it('keeps secrets unreadable for other users and out of pids.json URLs', () => {
  for (const file of ['secrets.json', 'pids.json', 'logs/postgres.log'])
    expect(statSync(join(dataDir, file)).mode & 0o077).toBe(0);
  expect(Object.values(readPids(dataDir).parts).filter(({ url }) => url.includes('@'))).toEqual([]);
});

it.each(['catalog', 'nats', 'postgres'])('restarts %s when it is killed', async name => {
  const before = stateOf(name).pid ?? 0;
  process.kill(before, 'SIGKILL');
  await waitUntil(() => ![before, undefined].includes(stateOf(name).pid));
  expect(readPids(dataDir).parts[name]?.pid).toBe(stateOf(name).pid);
  expect(lines).toContain(`${name} ended with signal SIGKILL; restarting it`);
});

it('counts a restarted service as running when it is live but not ready', async () => {
  const { UNREADY = '' } = await environmentOf('gateway');
  writeFileSync(UNREADY, '');
  const before = stateOf('gateway').pid ?? 0;
  process.kill(before, 'SIGKILL');
  await waitUntil(() => ![before, undefined].includes(stateOf('gateway').pid));
  expect((await fetch(`${stateOf('gateway').url}/health/ready`)).status).toBe(503);
  rmSync(UNREADY);
});

it('keeps a stopped service down until it is started', async () => {
  await system.stopService('catalog');
  expect(stateOf('catalog').pid).toBeUndefined();
  await expect(fetch(stateOf('catalog').url)).rejects.toThrow('fetch failed');
  await system.startService('catalog');
  expect((await fetch(stateOf('catalog').url)).status).toBe(200);
});

it('stops and starts a service through the control server with its token', async () => {
  const { supervisor } = readPids(dataDir);
  const post = (path: string, token: string) =>
    fetch(`${supervisor.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });

  expect((await post('/services/catalog/stop', 'wrong')).status).toBe(401);
  expect((await post('/services/unknown/stop', supervisor.token)).status).toBe(404);
  expect((await post('/services/catalog/stop', supervisor.token)).status).toBe(200);
  expect(stateOf('catalog').pid).toBeUndefined();
  expect((await post('/services/catalog/start', supervisor.token)).status).toBe(200);
  expect(stateOf('catalog').pid).toBeTypeOf('number');
});

it('rejects a second system in the same data folder', async () => {
  await expect(startLocalSystem({ dataDir, planPrograms: planStandIns() })).rejects.toThrow(
    `The data folder ${dataDir} is in use by a running system.`,
  );
  expect((await fetch(system.gatewayUrl)).status).toBe(200);
});

it('runs next to another system that uses its NATS server', async () => {
  await using other = await temporaryDataDir();
  const { natsPassword } = loadSecrets(dataDir);
  const natsUrl = `nats://admin:${natsPassword}@127.0.0.1:${stateOf('nats').port}`;
  await using second = await startLocalSystem({ dataDir: other.path, planPrograms: planStandIns(), natsUrl });
  expect(Object.keys(second.services)).not.toContain('nats');
  expect((await fetch(second.gatewayUrl)).status).toBe(200);
  expect((await fetch(system.gatewayUrl)).status).toBe(200);
});
