import { get } from 'node:http';
import { expect, test } from 'vitest';
import { startReceiver, waitUntil } from './receiver.ts';
import { connect, startProcessor } from './processor.ts';

/** Returns the status of a request that calls the processor by another name, as a page of that name makes a browser do. */
function statusBy(host: string, url: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  get(`${url}/health/live`, { headers: { host } }, response => resolve(response.resume().statusCode)).on(
    'error',
    reject,
  );
  return promise;
}

test('responds to its own names only', async () => {
  await using processor = await startProcessor({ hosts: ['processor'], publicUrl: 'http://stripe.local' });
  for (const host of ['localhost', '127.0.0.1:1', 'processor:12111', 'stripe.local'])
    expect(await statusBy(host, processor.url)).toBe(200);
  for (const host of ['evil.example', 'processor.evil.example']) expect(await statusBy(host, processor.url)).toBe(421);
});

test('posts webhooks to this machine, and elsewhere only where it is told to', async () => {
  await using receiver = await startReceiver();
  const elsewhere = receiver.url.replace('127.0.0.1', '0.0.0.0');
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const both = [`${elsewhere}/elsewhere`, `${receiver.url}/here`];
  for (const url of both) await stripe.webhookEndpoints.create({ url, enabled_events: ['customer.created'] });
  await stripe.customers.create({});
  await waitUntil(() => receiver.received.length > 0, 'the webhook');
  expect(receiver.types()).toEqual(['customer.created']);

  await using told = await startProcessor({ webhookOrigins: [new URL(elsewhere).origin] });
  const other = connect(told);
  await other.webhookEndpoints.create({ url: elsewhere, enabled_events: ['product.created'] });
  await other.products.create({ name: 'A' });
  await waitUntil(() => receiver.received.length > 1, 'the webhook elsewhere');
  expect(receiver.types()).toEqual(['customer.created', 'product.created']);
});
