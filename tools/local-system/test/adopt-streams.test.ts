import { join } from 'node:path';
import { startNats } from '@billing/embedded-servers/nats';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { createStream } from '@billing/messaging/bus';
import { brokerAddress, connectTo } from '@billing/messaging/connection';
import { natsAccounts } from '@billing/messaging/nats-accounts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { expect, it } from 'vitest';
import { adoptStreams } from '../src/adopt-streams.ts';
import { temporaryDataDir } from './data-folder.ts';

it('keeps the events and positions of a server that had no accounts', async () => {
  await using resources = new AsyncDisposableStack();
  const { path } = resources.use(await temporaryDataDir());
  const guard = resources.adopt(startProcessGuard(), started => started.close());
  const storeDir = join(path, 'nats');
  const start = (accounts?: string) =>
    startNats({ storeDir, logFile: join(path, 'nats.log'), password: 'secret', guard, ...(accounts && { accounts }) });

  const before = await start();
  const plain = await connectTo(brokerAddress(before.url), 'test');
  await createStream(plain);
  await jetstream(plain).publish('billing.first', '1');
  await jetstream(plain).publish('billing.second', '2');
  await (await jetstreamManager(plain)).consumers.add('BILLING', { durable_name: 'reader', ack_policy: 'explicit' });
  const reader = await jetstream(plain).consumers.get('BILLING', 'reader');
  await (await reader.next())?.ackAck();
  await plain.close();
  await before.stop();

  expect(await adoptStreams(storeDir)).toBe(true);
  const after = await start(natsAccounts({ admin: '"secret"', of: () => '"secret"' }));
  resources.defer(() => after.stop());
  const admin = await connectTo(brokerAddress(`nats://admin:secret@127.0.0.1:${after.port}`), 'test');
  resources.defer(() => admin.close());
  await createStream(admin);
  const remaining = await jetstream(admin).consumers.get('BILLING', 'reader');
  expect((await remaining.next())?.string()).toBe('2');
  expect(await adoptStreams(storeDir)).toBe(false);
});
