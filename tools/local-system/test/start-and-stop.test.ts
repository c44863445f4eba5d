import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { isAlive } from '@billing/embedded-servers/process-table';
import { expect, it } from 'vitest';
import { type LocalSystem, type LocalSystemOptions, startLocalSystem } from '../src/local-system.ts';
import { partPids, temporaryDataDir } from './data-folder.ts';
import { planStandIns, stoppedInOrder } from './stand-in-system.ts';

const start = (dataDir: string, options: Partial<LocalSystemOptions> = {}) =>
  startLocalSystem({ dataDir, planPrograms: planStandIns(), ...options });

const portsOf = ({ services }: LocalSystem) => Object.values(services).map(({ port }) => port);

it('stops everything in order and reuses its ports at the next start', async () => {
  await using data = await temporaryDataDir();
  const first = await start(data.path);
  const ports = portsOf(first);
  const pids = partPids(data.path);
  await first.stop();
  expect(pids.filter(isAlive)).toEqual([]);
  expect(existsSync(join(data.path, 'pids.json'))).toBe(false);
  const order = await stoppedInOrder(data.path);
  expect([order[0], order.slice(1, 3).toSorted(), order[3]]).toEqual([
    'gateway',
    ['catalog', 'customers'],
    'processor',
  ]);

  await using second = await start(data.path);
  expect(portsOf(second)).toEqual(ports);
});

it('names a gateway port that is in use before anything starts', async () => {
  await using data = await temporaryDataDir();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  await expect(start(data.path, { gatewayPort: port })).rejects.toThrow(`Port ${port} is in use.`);
  expect(existsSync(join(data.path, 'secrets.json'))).toBe(false);
  other.close();
});

it.each([
  [
    { databaseUrl: 'postgres://someone:secret@127.0.0.1:1/billing' },
    /^PostgreSQL at 127\.0\.0\.1:1 can't be reached.*DATABASE_URL/,
  ],
  [{ natsUrl: 'nats://someone:secret@127.0.0.1:1' }, /NATS at 127\.0\.0\.1:1.*NATS_URL/],
])('names an existing server that cannot be reached: %o', async (settings, message) => {
  await using data = await temporaryDataDir();
  const failed = start(data.path, settings);
  await expect(failed).rejects.toThrow(message);
  await expect(failed).rejects.not.toThrow('secret');
});
