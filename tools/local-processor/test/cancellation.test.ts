import { expect, test } from 'vitest';
import { amountsOf, startOnClock } from './change-fixtures.ts';
import { startProcessor } from './processor.ts';

const FEE = { amount: 700, currency: 'usd', description: 'Setup' };

/** A subscription of 30.00 usd a month since 1 April, on 16 April: half of it is left. */
async function start(processor: { url: string }, more: object = {}) {
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000, ...more });
  await account.advance('2026-04-16');
  const { stripe, subscription, customer } = account;
  const cancel = (params: { prorate?: boolean; invoice_now?: boolean } = {}) =>
    stripe.subscriptions.cancel(subscription.id, { ...params, expand: ['latest_invoice'] });
  const items = async () => (await stripe.invoiceItems.list({ customer: customer.id, pending: true })).data;
  const addFee = () => stripe.invoiceItems.create({ customer: customer.id, subscription: subscription.id, ...FEE });
  return { ...account, cancel, items, addFee };
}

test('credits the unused part to the balance with a final invoice', async () => {
  await using processor = await startProcessor();
  const { cancel, preview, balance, items, stripe } = await start(processor);
  const previewed = await preview({ cancel_now: true, proration_behavior: 'always_invoice' });
  expect(previewed).toMatchObject({ total: -1_500, amount_due: 0, ending_balance: -1_500 });
  expect(amountsOf(previewed)).toEqual([-1_500]);
  expect(await cancel({ prorate: true, invoice_now: true })).toMatchObject({
    status: 'canceled',
    latest_invoice: { status: 'paid', total: -1_500, amount_due: 0, billing_reason: 'subscription_update' },
  });
  expect([await balance(), await items()]).toEqual([-1_500, []]);
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types).toContain('customer.subscription.deleted');
});

test('leaves the credit to the next invoice of the customer without one', async () => {
  await using processor = await startProcessor();
  const { cancel, balance, items } = await start(processor);
  await cancel({ prorate: true });
  expect(await balance()).toBe(0);
  expect(await items()).toMatchObject([{ amount: -1_500, proration: true }]);
});

test('charges what waits on a final invoice', async () => {
  await using processor = await startProcessor();
  const { cancel, addFee, preview, items } = await start(processor);
  await addFee();
  expect(await preview({ cancel_now: true, proration_behavior: 'none' })).toMatchObject({ amount_due: 700 });
  expect(await cancel({ invoice_now: true })).toMatchObject({ latest_invoice: { status: 'paid', amount_paid: 700 } });
  expect(await items()).toEqual([]);
});

test('drops the prorations that wait, and nothing else, when it neither credits nor bills', async () => {
  await using processor = await startProcessor();
  const { cancel, addFee, change, to, items, subscription } = await start(processor);
  await change({ ...to({ quantity: 3 }), proration_behavior: 'create_prorations' });
  await addFee();
  expect((await items()).map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([-1_500, 700, 4_500]);
  const { latest_invoice: invoice } = await cancel();
  expect(invoice).toMatchObject({ id: subscription.latest_invoice });
  expect(await items()).toMatchObject([{ amount: 700 }]);
});

test('makes no final invoice of nothing', async () => {
  await using processor = await startProcessor();
  const { cancel, preview, invoices } = await start(processor, { trial_period_days: 30 });
  await expect(preview({ cancel_now: true })).rejects.toMatchObject({ code: 'invoice_upcoming_none' });
  await cancel({ prorate: true, invoice_now: true });
  expect(await invoices()).toHaveLength(1);
});

test('previews a cancellation alone', async () => {
  await using processor = await startProcessor();
  const { preview, to } = await start(processor);
  await expect(preview({ cancel_now: true, ...to({ quantity: 2 }) })).rejects.toMatchObject({ statusCode: 400 });
});

test('gives the credit back that a voided invoice has used', async () => {
  await using processor = await startProcessor();
  const { stripe, customer, balance } = await start(processor);
  await stripe.customers.createBalanceTransaction(customer.id, { amount: -200, currency: 'usd' });
  const draft = await stripe.invoices.create({ customer: customer.id, currency: 'usd' });
  await stripe.invoices.addLines(draft.id, { lines: [{ amount: 900, description: 'Setup' }] });
  expect(await stripe.invoices.finalizeInvoice(draft.id)).toMatchObject({ amount_due: 700 });
  expect(await balance()).toBe(0);
  await stripe.invoices.voidInvoice(draft.id);
  expect(await balance()).toBe(-200);
  const [transaction] = (await stripe.customers.listBalanceTransactions(customer.id)).data;
  expect(transaction).toMatchObject({ type: 'unapplied_from_invoice', amount: -200 });
});
