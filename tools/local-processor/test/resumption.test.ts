import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { invoiceOf, seconds, startOnClock } from './change-fixtures.ts';
import { idOf } from './checkout-fixtures.ts';
import { startProcessor } from './processor.ts';

const KEEP = {
  billing_cycle_anchor: { type: 'unchanged' },
  proration_behavior: 'always_invoice',
  payment_behavior: 'resume_on_payment_success',
} as const;
const RESTART = { billing_cycle_anchor: { type: 'now' }, payment_behavior: 'resume_on_payment_success' } as const;

/** A subscription of 30.00 usd a month since 1 April, which is paused, on 16 April. */
async function start(processor: { url: string }) {
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000 });
  const { stripe, key, subscription, advance, customer } = account;
  const control = new LocalProcessorControl(processor.url, key);
  await control.pause(subscription.id);
  await advance('2026-04-16');
  const found = await stripe.customers.retrieve(customer.id);
  const card = found.deleted ? '' : idOf(found.invoice_settings.default_payment_method);
  return {
    ...account,
    resume: (params: object) => stripe.subscriptions.resume(subscription.id, { ...params, expand: ['latest_invoice'] }),
    decline: (declines = true) => control.setCardDeclines(card, declines),
  };
}

test('charges the rest of the period, as previewed', async () => {
  await using processor = await startProcessor();
  const { resume, preview } = await start(processor);
  const { payment_behavior: _, ...details } = KEEP;
  expect(await preview({ resume_at: 'now', ...details })).toMatchObject({ amount_due: 1_500 });
  const resumed = await resume(KEEP);
  expect(resumed).toMatchObject({ status: 'active', billing_cycle_anchor: seconds('2026-04-01') });
  expect(invoiceOf(resumed)).toMatchObject({ status: 'paid', amount_paid: 1_500 });
  expect(resumed.items.data[0]).toMatchObject({ current_period_end: seconds('2026-05-01') });
});

test('begins a period now, which is charged as a whole', async () => {
  await using processor = await startProcessor();
  const { resume, preview, stripe } = await start(processor);
  const previewed = await preview({ resume_at: 'now', billing_cycle_anchor: { type: 'now' } });
  expect(previewed).toMatchObject({ amount_due: 3_000 });
  const resumed = await resume(RESTART);
  expect(resumed).toMatchObject({ status: 'active', billing_cycle_anchor: seconds('2026-04-16') });
  expect(invoiceOf(resumed)).toMatchObject({ status: 'paid', amount_paid: 3_000 });
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types).toContain('customer.subscription.resumed');
});

test('stays paused while it is not paid, and when the invoice is voided', async () => {
  await using processor = await startProcessor();
  const { resume, decline, stripe, current } = await start(processor);
  await decline();
  const waiting = await resume(RESTART);
  expect(waiting.status).toBe('paused');
  expect(invoiceOf(waiting)).toMatchObject({ status: 'open', attempted: true });
  await stripe.invoices.voidInvoice(invoiceOf(waiting).id);
  expect((await current()).status).toBe('paused');
});

test('goes on once its invoice is paid', async () => {
  await using processor = await startProcessor();
  const { resume, decline, stripe, current } = await start(processor);
  await decline();
  const waiting = await resume(KEEP);
  await decline(false);
  await stripe.invoices.pay(invoiceOf(waiting).id);
  const active = await current();
  expect(active).toMatchObject({ status: 'active', billing_cycle_anchor: seconds('2026-04-01') });
  expect(active.items.data[0]).toMatchObject({ current_period_end: seconds('2026-05-01') });
});

test('is resumed, and past due, when it does not wait for the payment', async () => {
  await using processor = await startProcessor();
  const { resume, decline } = await start(processor);
  await decline();
  expect(await resume({})).toMatchObject({ status: 'past_due' });
});

test('refuses to resume what is not paused', async () => {
  await using processor = await startProcessor();
  const { resume, preview } = await start(processor);
  await resume(KEEP);
  await expect(resume(KEEP)).rejects.toMatchObject({ statusCode: 400 });
  await expect(preview({ resume_at: 'now' })).rejects.toMatchObject({ statusCode: 400 });
});
