import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { startReceiver, until } from './receiver.ts';
import { openCheckout, press } from './shop.ts';

async function dataFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'local-processor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return path.join(folder, 'processor.sqlite');
}

test('a restart keeps accounts, objects, keys and endpoints, and goes on with undelivered webhooks', async () => {
  const file = await dataFile();
  const key = freshKey();
  await using receiver = await startReceiver();
  const first = await startProcessor({ dataFile: file });
  const before = connect(first, key);
  const { id: accountId } = await before.accounts.retrieveCurrent();
  await before.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.updated'] });
  const { session, customer } = await openCheckout(before);
  receiver.answers.push(503, 503);
  await before.customers.update(customer.id, { name: 'Late' }, { idempotencyKey: 'k1' });
  await until(() => receiver.received.length > 0, 'a first, refused try');
  await new LocalProcessorControl(first.url, key).advanceClock(60);
  await first.close();

  await using second = await startProcessor({ dataFile: file });
  const after = connect(second, key);

  await until(() => receiver.answers.length === 0 && receiver.received.length >= 3, 'the delivery to go on');
  expect((await after.accounts.retrieveCurrent()).id).toBe(accountId);
  const replayed = await after.customers.update(customer.id, { name: 'Late' }, { idempotencyKey: 'k1' });
  expect(replayed.lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect((await new LocalProcessorControl(second.url, key).clock()).offset).toBe(60);
  const kept = await after.checkout.sessions.retrieve(session.id);
  expect(kept.url).toBe(`${second.url}/c/pay/${session.id}`);
  expect((await press(kept, 'pay')).status).toBe(303);
  expect((await after.subscriptions.list({ customer: customer.id })).data).toHaveLength(1);
});

test('without a data file everything is gone with the process', async () => {
  const key = freshKey();
  const first = await startProcessor();
  await connect(first, key).customers.create({});
  await first.close();
  await using second = await startProcessor();
  expect((await connect(second, key).customers.list()).data).toEqual([]);
});

test('a request that runs while the processor closes is answered', async () => {
  const key = freshKey();
  const processor = await startProcessor({ dataFile: await dataFile() });
  await new LocalProcessorControl(processor.url, key).fail({ path: '/v1/customers', mode: 'slow', delayMs: 300 });
  const slow = connect(processor, key).customers.create({});
  await new Promise(resolve => setTimeout(resolve, 100));
  await processor.close();
  await expect(slow).resolves.toMatchObject({ object: 'customer' });
});
