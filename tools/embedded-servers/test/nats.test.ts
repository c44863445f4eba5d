import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startNats } from '../src/nats.ts';
import { startProcessGuard } from '../src/process-guard.ts';
import { temporaryFolder } from './temporary-folder.ts';

const guard = startProcessGuard();
afterAll(() => guard.close());

const start = (folder: string, port?: number) =>
  startNats({
    storeDir: join(folder, 'nats'),
    logFile: join(folder, 'nats.log'),
    password: 'secret',
    guard,
    ...(port === undefined ? {} : { port }),
  });

const client = (url: string) => {
  const { host, username, password } = new URL(url);
  return connect({ servers: host, user: username, pass: password, reconnect: false });
};

it('keeps stream messages and its port after SIGKILL', async () => {
  await using folder = await temporaryFolder();
  const first = await start(folder.path);
  const before = await client(first.url);
  await (await jetstreamManager(before)).streams.add({ name: 'events', subjects: ['events.>'] });
  await jetstream(before).publish('events.one', 'persisted');
  await before.close();
  process.kill(first.pid, 'SIGKILL');
  await first.exited;

  const second = await start(folder.path, first.port);
  const after = await client(second.url);
  const { state } = await (await jetstreamManager(after)).streams.info('events');
  expect(state.messages).toBe(1);
  await after.close();
  await second.stop();
});

it('rejects a client without credentials', async () => {
  await using folder = await temporaryFolder();
  const server = await start(folder.path);
  const anonymous = connect({ servers: `127.0.0.1:${server.port}`, reconnect: false });
  await expect(anonymous).rejects.toThrow(/authorization/i);
  await server.stop();
});

it('accepts a stream whose size limit exceeds the disk', async () => {
  await using folder = await temporaryFolder();
  const server = await start(folder.path);
  const nats = await client(server.url);
  const manager = await jetstreamManager(nats);
  const { config } = await manager.streams.add({ name: 'large', subjects: ['large.>'], max_bytes: 100 * 1024 ** 4 });
  expect(config.max_bytes).toBe(100 * 1024 ** 4);
  await nats.close();
  await server.stop();
});
