import { randomBytes } from 'node:crypto';
import { type FaultRequest, LocalProcessorControl } from '@billing/local-processor/control';
import { type LocalProcessor, startLocalProcessor } from '@billing/local-processor/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProcessorError } from '../src/errors.ts';
import { stripeProcessor } from '../src/stripe-processor.ts';

let local: LocalProcessor;
beforeAll(async () => {
  local = await startLocalProcessor();
});
afterAll(() => local.close());

function account() {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  return { processor: stripeProcessor(secretKey, local.url), control: new LocalProcessorControl(local.url, secretKey) };
}

it.each<[string, FaultRequest]>([
  ['the processor responds with 429', { mode: '429', times: 2 }],
  ['the connection is lost before the work', { mode: 'dropped', times: 2 }],
  ['the connection is lost after the work', { mode: 'done-but-response-lost', times: 2 }],
  ['a gateway in between fails', { mode: '502html', times: 1 }],
  ['the processor fails and stores no response', { mode: '500', kept: false, times: 1 }],
  ['the processor fails after the work and stores no response', { mode: '500-but-done', kept: false, times: 1 }],
])('creates one customer although %s', async (_, fault) => {
  const { processor, control } = account();
  await control.fail({ ...fault, method: 'POST', path: '/v1/customers' });

  const customer = await processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1');

  expect(await control.faults()).toEqual([]);
  const { objects } = await control.ledger();
  expect(objects).toMatchObject([{ id: customer.id, idempotencyKey: 'op:1' }]);
});

it('reports a failure that every repeat under the key would get', async () => {
  const { processor, control } = account();
  await control.fail({ mode: '500', method: 'POST', path: '/v1/customers' });
  const create = processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1');
  await expect(create).rejects.toBeInstanceOf(ProcessorError);
  await expect(create).rejects.toMatchObject({ isIndeterminate: true, isStored: true });
});

it('reports a failure that a repeat may not get', async () => {
  const { processor, control } = account();
  await control.fail({ mode: '500', kept: false, times: 3 });
  const create = processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1');
  await expect(create).rejects.toMatchObject({ isIndeterminate: true, isStored: false });
});

it('gives up after three attempts with 503', async () => {
  const { processor, control } = account();
  await control.fail({ mode: '429', times: 3 });
  await expect(processor.findAccount()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await control.faults()).toEqual([]);
});

it('sends the same bytes whatever the order of the parameters', async () => {
  const { processor, control } = account();
  const first = { email: 'ada@example.com', name: 'Ada', metadata: { b: '2', a: '1' } };
  const again = { metadata: { a: '1', b: '2' }, name: 'Ada', email: 'ada@example.com' };
  const { id } = await processor.createCustomer(first, 'op:1');
  expect(await processor.createCustomer(again, 'op:1')).toMatchObject({ id });
  expect((await control.ledger()).objects).toHaveLength(1);
});

it.each([
  [{ mode: '429', shouldRetry: false, times: 2 }, 1],
  [{ mode: '500', kept: false, shouldRetry: false, times: 2 }, 1],
  [{ mode: '500', kept: false, shouldRetry: true, times: 2 }, 0],
] as const)('follows the advice whether to retry: %j', async (fault, unused) => {
  const { processor, control } = account();
  await control.fail({ ...fault, method: 'GET' });
  await processor.findAccount().catch(() => undefined);
  expect((await control.faults()).map(({ times }) => times)).toEqual(unused ? [unused] : []);
});

it('does not know what became of a write whose response cannot be read', async () => {
  const { processor, control } = account();
  await control.fail({ mode: 'done-but-response-broken', method: 'POST', times: 3 });
  const create = processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1');
  await expect(create).rejects.toMatchObject({ code: 'processor_error', isIndeterminate: true });
  expect((await control.ledger()).objects).toHaveLength(1);
});
