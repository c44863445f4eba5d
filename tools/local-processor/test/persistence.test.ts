import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { startReceiver, waitUntil } from './receiver.ts';
import { openCheckout, press } from './checkout-fixtures.ts';

async function dataFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'local-processor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return path.join(folder, 'processor.sqlite');
}

test('keeps all state after a restart and resumes undelivered webhooks', async () => {
  const file = await dataFile();
  const key = freshKey();
  await using receiver = await startReceiver();
  const first = await startProcessor({ dataFile: file });
  const before = connect(first, key);
  const { id: accountId } = await before.accounts.retrieveCurrent();
  await before.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.updated'] });
  const { session, customer } = await openCheckout(before);
  receiver.statuses.push(503, 503);
  await before.customers.update(customer.id, { name: 'Late' }, { idempotencyKey: 'k1' });
  await waitUntil(() => receiver.received.length > 0, 'a first, rejected attempt');
  await new LocalProcessorControl(first.url, key).advanceClock(60);
  await first.close();

  await using second = await startProcessor({ dataFile: file });
  const after = connect(second, key);

  await waitUntil(() => receiver.statuses.length === 0 && receiver.received.length >= 3, 'the delivery to resume');
  expect((await after.accounts.retrieveCurrent()).id).toBe(accountId);
  const replayed = await after.customers.update(customer.id, { name: 'Late' }, { idempotencyKey: 'k1' });
  expect(replayed.lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect((await new LocalProcessorControl(second.url, key).clock()).offset).toBe(60);
  const restored = await after.checkout.sessions.retrieve(session.id);
  expect(restored.url).toBe(`${second.url}/c/pay/${session.id}`);
  expect((await press(restored, 'pay')).status).toBe(303);
  expect((await after.subscriptions.list({ customer: customer.id })).data).toHaveLength(1);
});

test('loses all state without a data file', async () => {
  const key = freshKey();
  const first = await startProcessor();
  await connect(first, key).customers.create({});
  await first.close();
  await using second = await startProcessor();
  expect((await connect(second, key).customers.list()).data).toEqual([]);
});

test('completes running requests when it closes', async () => {
  const key = freshKey();
  const processor = await startProcessor({ dataFile: await dataFile() });
  const control = new LocalProcessorControl(processor.url, key);
  await control.fail({ path: '/v1/customers', mode: 'slow', delayMs: 300 });
  const slow = connect(processor, key).customers.create({});
  await waitUntil(async () => (await control.faults()).length === 0, 'the request to start');
  await processor.close();
  await expect(slow).resolves.toMatchObject({ object: 'customer' });
});

test('keeps restricted keys after a restart', async () => {
  const file = await dataFile();
  const key = freshKey();
  const restricted = freshKey().replace('sk_', 'rk_');
  const first = await startProcessor({ dataFile: file });
  await new LocalProcessorControl(first.url, key).restrictKey(restricted, ['rak_product_write']);
  await first.close();
  await using second = await startProcessor({ dataFile: file });
  const limited = connect(second, restricted);
  await expect(limited.products.create({ name: 'Pro' })).rejects.toMatchObject({ statusCode: 403 });
  const [ours, theirs] = await Promise.all([limited, connect(second, key)].map(it => it.accounts.retrieveCurrent()));
  expect(ours?.id).toBe(theirs?.id);
});
