import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startBilling } from './start-billing.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.control.clearFaults());

const SETUP = { description: 'Setup', amount: 4_900 };
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

async function startItems() {
  const billing = await startBilling(service);
  const subscription = await billing.subscribe();
  const listed = async () => (await billing.items(subscription.id)).body.invoiceItems;
  return { ...billing, ...subscription, listed };
}

it('is billed with the next invoice of its subscription, and with no other', async () => {
  const { id, processorId, item, listed, price, invoices, deliverEvents } = await startItems();
  const { status, body } = await item(id, { priceId: price.id, quantity: 2 });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { invoiceItem: { subscriptionId: id, amount: 5_998, quantity: 2, priceId: price.id, proration: false } },
  });
  expect(await listed()).toEqual([body.invoiceItem]);
  await service.control.renew(processorId);
  await deliverEvents();
  expect(await listed()).toEqual([]);
  expect((await invoices()).map(({ total }) => total)).toContain(2_999 + 5_998);
});

it('is taken back until it is billed', async () => {
  const { id, processorId, item, listed, removeItem } = await startItems();
  const [first, second] = [(await item(id, SETUP)).body.invoiceItem, (await item(id, SETUP)).body.invoiceItem];
  expect(codeOf(await removeItem(id, first.id))).toBe('200 done');
  expect(await listed()).toMatchObject([{ id: second.id }]);
  expect(codeOf(await removeItem(id, first.id))).toBe('404 invoice_item_not_found');
  await service.control.renew(processorId);
  expect(codeOf(await removeItem(id, second.id))).toBe('422 invoice_item_billed');
});

it('is only that of the subscription that is named', async () => {
  const [mine, other] = [await startItems(), await startItems()];
  const { invoiceItem } = (await mine.item(mine.id, SETUP)).body;
  expect(codeOf(await other.removeItem(other.id, invoiceItem.id))).toBe('404 invoice_item_not_found');
  expect(codeOf(await other.removeItem(mine.id, invoiceItem.id))).toBe('404 subscription_not_found');
  expect(codeOf(await other.items(mine.id))).toBe('404 subscription_not_found');
  expect(await other.listed()).toEqual([]);
  expect(await mine.listed()).toMatchObject([{ id: invoiceItem.id }]);
});

it.each(['dropped', 'done-but-response-lost', '500-but-done'] as const)(
  'is made once by a repeat when the processor’s response was %s',
  async mode => {
    const { id, item, listed } = await startItems();
    const headers = { 'idempotency-key': randomUUID() };
    await service.control.fail({ method: 'POST', path: '/v1/invoiceitems', mode, times: 99 });
    await item(id, SETUP, headers);
    await service.control.clearFaults();
    expect(codeOf(await item(id, SETUP, headers))).toBe('201 done');
    expect(await listed()).toMatchObject([SETUP]);
  },
);

it('waits for no invoice of a subscription that has ended', async () => {
  const { id, processorId, item, scope } = await startItems();
  await service.account.dashboard.subscriptions.cancel(processorId);
  for (const event of await service.account.events(scope, 'customer.subscription.deleted'))
    await service.deliver(event);
  expect(codeOf(await item(id, SETUP))).toBe('422 subscription_ended');
});
