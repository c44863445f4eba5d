import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { idOf } from './checkout-fixtures.ts';
import { amountsOf, invoiceOf, seconds, startOnClock } from './change-fixtures.ts';
import { type RunningProcessor, startProcessor } from './processor.ts';

const HOUR = 3_600;
const CHANGED_AT = '2026-04-16';
const PENDING = { proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' } as const;
const ERROR = { ...PENDING, payment_behavior: 'error_if_incomplete' } as const;

/** An account in the middle of a period whose default card from now on declines, or wants the customer to confirm. */
async function startFailing(processor: RunningProcessor, card = 'pm_card_chargeCustomerFail') {
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000 });
  const { stripe, customer } = account;
  const failing = await stripe.paymentMethods.attach(card, { customer: customer.id });
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: failing.id } });
  await account.advance(CHANGED_AT);
  const control = new LocalProcessorControl(processor.url, account.key);
  return {
    ...account,
    failing,
    allowCard: () => control.setCardDeclines(failing.id, false),
    types: async () => (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type),
  };
}

test('holds a change whose payment is declined, and applies it once the invoice is paid', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const before = await account.current();

  const held = await account.change({ ...account.to({ quantity: 3 }), ...PENDING, metadata: { change: '1' } });

  expect(held).toMatchObject({
    status: 'active',
    metadata: {},
    items: { data: [{ quantity: 1 }] },
    pending_update: {
      subscription_items: [{ id: account.item, quantity: 3 }],
      metadata: { change: '1' },
      expires_at: seconds(CHANGED_AT) + 23 * HOUR,
    },
  });
  const invoice = invoiceOf(held);
  expect(invoice).toMatchObject({ status: 'open', amount_due: 3_000, billing_reason: 'subscription_update' });
  expect(invoice.id).not.toBe(invoiceOf(before).id);
  await account.stripe.subscriptions.update(held.id, { metadata: { other: '2' } });
  await expect(account.stripe.invoices.pay(invoice.id ?? '')).rejects.toMatchObject({ code: 'card_declined' });
  expect(await account.current()).toMatchObject({ status: 'active', pending_update: held.pending_update });

  await account.allowCard();
  await account.stripe.invoices.pay(invoice.id ?? '');

  expect(await account.current()).toMatchObject({
    status: 'active',
    pending_update: null,
    items: { data: [{ quantity: 3 }] },
    metadata: { change: '1', other: '2' },
  });
  expect(await account.types()).toContain('customer.subscription.pending_update_applied');
  await account.advance('2026-04-21');
  const next = await account.preview({ ...account.to({ quantity: 2 }), proration_behavior: 'always_invoice' });
  expect(amountsOf(next)).toEqual([-3_000, 2_000]);
});

test('voids the invoice of a change that is not paid in time, and goes on as before', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const held = await account.change({ ...account.to({ quantity: 3 }), ...PENDING });
  await account.advance(seconds(CHANGED_AT) + 23 * HOUR - 1);
  expect((await account.current()).pending_update).not.toBeNull();
  await account.advance(seconds(CHANGED_AT) + 23 * HOUR);
  expect(await account.current()).toMatchObject({ pending_update: null, items: { data: [{ quantity: 1 }] } });
  expect(await account.stripe.invoices.retrieve(invoiceOf(held).id ?? '')).toMatchObject({ status: 'void' });
  expect(await account.types()).toEqual(
    expect.arrayContaining(['customer.subscription.pending_update_expired', 'payment_intent.canceled']),
  );
  const next = await account.preview({ ...account.to({ quantity: 2 }), proration_behavior: 'always_invoice' });
  expect(amountsOf(next).map(amount => Math.sign(amount))).toEqual([-1, 1]);
});

test('drops a pending change when its invoice is voided, another change comes, or the subscription ends', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const hold = async (quantity: number) =>
    invoiceOf(await account.change({ ...account.to({ quantity }), ...PENDING })).id ?? '';
  const statusOf = async (id: string) => (await account.stripe.invoices.retrieve(id)).status;
  await account.stripe.invoices.voidInvoice(await hold(3));
  expect((await account.current()).pending_update).toBeNull();
  const second = await hold(4);
  const third = await hold(5);
  expect([await statusOf(second), await statusOf(third)]).toEqual(['void', 'open']);
  expect((await account.current()).pending_update?.subscription_items).toMatchObject([{ quantity: 5 }]);
  await account.change({ cancel_at_period_end: true });
  expect((await account.current()).pending_update).not.toBeNull();
  await account.stripe.subscriptions.cancel(account.subscription.id);
  expect([await statusOf(third), (await account.current()).pending_update]).toEqual(['void', null]);
});

test('lets what waited for the next invoice wait again when a pending change is dropped', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  await account.change(account.to({ quantity: 2 }));
  const held = await account.change({ ...account.to({ quantity: 3 }), ...PENDING });
  expect(amountsOf(invoiceOf(held))).toEqual([-1_500, 3_000, -3_000, 4_500]);
  await account.stripe.invoices.voidInvoice(invoiceOf(held).id ?? '');
  expect(amountsOf(await account.preview({}))).toEqual([-1_500, 3_000, 6_000]);
});

test('applies a change at once that is paid or costs nothing', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const fewer = await account.change({ ...account.to({ quantity: 0 }), ...PENDING });
  expect(fewer).toMatchObject({ pending_update: null, items: { data: [{ quantity: 0 }] } });
  await account.allowCard();
  const more = await account.change({ ...account.to({ quantity: 3 }), ...PENDING, metadata: { a: '1' } });
  expect(more).toMatchObject({ pending_update: null, items: { data: [{ quantity: 3 }] }, metadata: { a: '1' } });
});

test('changes nothing and leaves no invoice when it may not be incomplete', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const before = await account.current();
  const events = (await account.types()).length;
  await expect(account.change({ ...account.to({ quantity: 3 }), ...ERROR })).rejects.toMatchObject({
    statusCode: 402,
    code: 'card_declined',
    decline_code: 'generic_decline',
  });
  expect(await account.current()).toEqual(before);
  expect((await account.types()).length).toBe(events);
  expect(await account.invoices()).toHaveLength(1);
});

test('a card that wants authentication holds a change until the customer confirms on the invoice page', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor, 'pm_card_authenticationRequired');
  await expect(account.change({ ...account.to({ quantity: 3 }), ...ERROR })).rejects.toMatchObject({
    statusCode: 402,
    code: 'subscription_payment_intent_requires_action',
  });
  const held = await account.change({ ...account.to({ quantity: 3 }), ...PENDING });
  const { hosted_invoice_url: url, id } = invoiceOf(held);
  const [payment] = (await account.stripe.invoicePayments.list({ invoice: id ?? '' })).data;
  const intent = await account.stripe.paymentIntents.retrieve(idOf(payment?.payment.payment_intent ?? null));
  expect(intent).toMatchObject({ status: 'requires_action', payment_method: account.failing.id, latest_charge: null });
  expect(await account.types()).toEqual(
    expect.arrayContaining(['invoice.payment_action_required', 'payment_intent.requires_action']),
  );
  await expect(account.stripe.invoices.pay(id ?? '')).rejects.toMatchObject({
    statusCode: 402,
    code: 'invoice_payment_intent_requires_action',
  });
  expect(await (await fetch(url ?? '')).text()).toContain('Confirm with the bank');

  const action = new URLSearchParams({ action: 'confirm' });
  await fetch(url ?? '', { method: 'POST', body: action, redirect: 'manual' });

  expect(await account.current()).toMatchObject({ pending_update: null, items: { data: [{ quantity: 3 }] } });
  const page = await (await fetch(url ?? '')).text();
  expect(page).not.toContain('<form');
  const [charge] = (await account.stripe.charges.list({ customer: account.customer.id })).data;
  expect(charge).toMatchObject({ amount: 3_000, paid: true, payment_method: account.failing.id });
});

test('pays a pending change on the invoice page with another card', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const held = await account.change({ ...account.to({ quantity: 3 }), ...PENDING });
  const press = (action: string) =>
    fetch(invoiceOf(held).hosted_invoice_url ?? '', {
      method: 'POST',
      body: new URLSearchParams({ action }),
      redirect: 'manual',
    });
  await press('confirm');
  expect((await press('decline')).status).toBe(402);
  expect((await account.current()).pending_update).not.toBeNull();
  await press('pay');
  expect(await account.current()).toMatchObject({ pending_update: null, items: { data: [{ quantity: 3 }] } });
});

test('starts incomplete with a card that wants authentication', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { card: 'pm_card_authenticationRequired' });
  expect(account.subscription.status).toBe('incomplete');
  const { hosted_invoice_url: url } = invoiceOf(await account.current());
  await fetch(url ?? '', { method: 'POST', body: new URLSearchParams({ action: 'confirm' }), redirect: 'manual' });
  expect((await account.current()).status).toBe('active');
});

test('holds a new interval in its period, from the time of the change on', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const yearly = await account.createPrice(30_000, 'year');
  const held = await account.change({ ...account.to({ price: yearly.id }), ...PENDING });
  expect(held.pending_update?.billing_cycle_anchor).toBe(seconds(CHANGED_AT));
  await account.advance(seconds(CHANGED_AT) + HOUR);
  await account.allowCard();
  await account.stripe.invoices.pay(invoiceOf(held).id ?? '');
  const paid = await account.current();
  expect(paid).toMatchObject({ billing_cycle_anchor: seconds(CHANGED_AT) });
  expect(paid.items.data[0]?.current_period_end).toBe(seconds('2027-04-16'));
});

test('refuses what cannot wait, and past due is what a payment to confirm is by default', async () => {
  await using processor = await startProcessor();
  const account = await startFailing(processor);
  const card = { default_payment_method: account.failing.id };
  await expect(account.change({ ...PENDING, ...card })).rejects.toThrow(/Unsupported: default_payment_method/);
  const incomplete = { ...PENDING, payment_behavior: 'default_incomplete' } as const;
  const changed = await account.change({ ...account.to({ quantity: 3 }), ...incomplete });
  expect(changed).toMatchObject({ status: 'past_due', items: { data: [{ quantity: 3 }] } });
  expect(invoiceOf(changed)).toMatchObject({ status: 'open', attempted: false });
  const sent = await startOnClock(processor, '2026-04-01', { collection_method: 'send_invoice', days_until_due: 3 });
  await expect(sent.change({ ...sent.to({ quantity: 3 }), ...PENDING })).rejects.toThrow(/charge_automatically/);
});
