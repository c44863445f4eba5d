import { expect, test } from 'vitest';
import { amountsOf, invoiceOf, seconds, startOnClock } from './change-fixtures.ts';
import { startProcessor } from './processor.ts';

const NOW = { proration_behavior: 'always_invoice' } as const;

test('prorates a change to the second of its date, and bills it with the next period', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, 1_596_749_288);
  const dearer = await account.createPrice(3_252);
  await account.advance(1_598_982_200);
  const terms = { ...account.to({ price: dearer.id }), proration_date: 1_598_982_148 };

  const preview = await account.preview(terms);
  const changed = await account.change(terms);

  expect(amountsOf(preview)).toEqual([-166, 541, 3_252]);
  expect(preview).toMatchObject({ total: 3_627, amount_due: 3_627, billing_reason: 'upcoming', status: 'draft' });
  expect(preview.next_payment_attempt).toBe(1_599_427_688);
  expect(preview.id).toMatch(/^upcoming_in_/);
  expect(changed.items.data).toMatchObject([{ id: account.item, price: { id: dearer.id }, quantity: 1 }]);
  expect(invoiceOf(changed).billing_reason).toBe('subscription_create');
  const waiting = (await account.stripe.invoiceItems.list({ pending: true })).data.toReversed();
  expect(waiting).toMatchObject([
    { amount: -166, proration: true, description: 'Unused time on Pro after 01 Sep 2020' },
    { amount: 541, proration: true, description: 'Remaining time on Pro after 01 Sep 2020' },
  ]);
  await account.advance(1_599_427_688 + 3_600);
  const renewed = invoiceOf(await account.current());
  expect(amountsOf(renewed)).toEqual([-166, 541, 3_252]);
  expect(renewed).toMatchObject({ total: 3_627, status: 'paid', billing_reason: 'subscription_cycle' });
  expect((await account.stripe.invoiceItems.list({ pending: true })).data).toEqual([]);
});

test('charges more seats at once, one line for each item', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 1_200, quantity: 5 });
  await account.advance('2026-04-13T09:17:31Z');
  const preview = await account.preview({ ...account.to({ quantity: 8 }), ...NOW });
  const changed = await account.change({ ...account.to({ quantity: 8 }), ...NOW });
  expect(amountsOf(preview)).toEqual([-3_523, 5_636]);
  expect(preview.total).toBe(2_113);
  const invoice = invoiceOf(changed);
  expect(amountsOf(invoice)).toEqual([-3_523, 5_636]);
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: 2_113, billing_reason: 'subscription_update' });
  expect(invoice.parent?.subscription_details?.subscription_proration_date).toBe(seconds('2026-04-13T09:17:31Z'));
  expect(invoice.lines.data).toMatchObject([
    { quantity: 5, parent: { subscription_item_details: { proration: true, subscription_item: account.item } } },
    { quantity: 8, parent: { subscription_item_details: { proration: true } } },
  ]);
});

test('credits fewer seats to the balance, which the next invoice uses', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 1_200, quantity: 5 });
  await account.advance('2026-04-13T09:17:31Z');
  const preview = await account.preview({ ...account.to({ quantity: 3 }), ...NOW });
  const changed = await account.change({ ...account.to({ quantity: 3 }), ...NOW });
  expect(amountsOf(preview)).toEqual([-3_523, 2_114]);
  const due = { total: -1_409, amount_due: 0, starting_balance: 0, ending_balance: -1_409 };
  expect(preview).toMatchObject(due);
  expect(invoiceOf(changed)).toMatchObject({ ...due, status: 'paid' });
  expect(await account.balance()).toBe(-1_409);
  const next = await account.preview({});
  expect(next).toMatchObject({ total: 3_600, amount_due: 3_600 - 1_409, starting_balance: -1_409 });
  await account.advance('2026-05-01T01:00:00Z');
  expect(invoiceOf(await account.current())).toMatchObject({ total: 3_600, amount_paid: 2_191 });
  expect(await account.balance()).toBe(0);
});

test('begins a period now when the interval changes', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-03-01', { amount: 2_999 });
  const yearly = await account.createPrice(29_900, 'year');
  await account.advance('2026-03-21');
  const preview = await account.preview(account.to({ price: yearly.id }));
  const changed = await account.change(account.to({ price: yearly.id }));
  expect(amountsOf(preview)).toEqual([-1_064, 29_900]);
  expect(invoiceOf(changed)).toMatchObject({ total: 28_836, amount_paid: 28_836 });
  const period = { current_period_start: seconds('2026-03-21'), current_period_end: seconds('2027-03-21') };
  expect(changed).toMatchObject({ billing_cycle_anchor: seconds('2026-03-21'), items: { data: [period] } });
});

test('bills a new interval as a whole without prorations', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-03-01', { amount: 2_999 });
  const yearly = await account.createPrice(29_900, 'year');
  await account.advance('2026-03-21');
  const terms = { ...account.to({ price: yearly.id }), proration_behavior: 'none' as const };
  expect(amountsOf(await account.preview(terms))).toEqual([29_900]);
  expect(amountsOf(invoiceOf(await account.change(terms)))).toEqual([29_900]);
});

test('moves the anchor to now on request, and keeps a cancellation at the new period end', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-03-01', { amount: 3_100 });
  await account.change({ cancel_at_period_end: true });
  await account.advance('2026-03-21');
  const changed = await account.change({ billing_cycle_anchor: { type: 'now' } });
  expect(amountsOf(invoiceOf(changed))).toEqual([-1_100, 3_100]);
  expect(changed).toMatchObject({ cancel_at_period_end: true, cancel_at: seconds('2026-04-21') });
  await expect(account.preview({})).rejects.toMatchObject({ statusCode: 404, code: 'invoice_upcoming_none' });
});

test('begins a period when a free price becomes a paid one, but not when seats do', async () => {
  await using processor = await startProcessor();
  const free = await startOnClock(processor, '2026-04-01', { amount: 0 });
  const paid = await free.createPrice(2_000);
  await free.advance('2026-04-11');
  const changed = await free.change(free.to({ price: paid.id }));
  expect(invoiceOf(changed)).toMatchObject({ total: 2_000, status: 'paid' });
  expect(changed.billing_cycle_anchor).toBe(seconds('2026-04-11'));

  const seats = await startOnClock(processor, '2026-04-01', { quantity: 0 });
  await seats.advance('2026-04-11');
  const more = await seats.change(seats.to({ quantity: 3 }));
  expect(more.billing_cycle_anchor).toBe(seconds('2026-04-01'));
  expect(amountsOf(await seats.preview({}))).toEqual([0, 2_000, 3_000]);
});

test('has the quantity 1 after a new price without one, and keeps it without a new price', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { quantity: 5 });
  const other = await account.createPrice(1_500);
  const same = await account.change(account.to({ price: account.price.id }));
  expect(same.items.data[0]?.quantity).toBe(5);
  const changed = await account.change(account.to({ price: other.id }));
  expect(changed.items.data[0]?.quantity).toBe(1);
});

test('credits what was debited last, and after a change without prorations the older debit', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000 });
  const prices = await Promise.all([6_000, 9_000].map(amount => account.createPrice(amount)));
  await account.advance('2026-04-11');
  await account.change({ ...account.to({ price: prices[0]?.id ?? '' }), proration_behavior: 'none' });
  const preview = await account.preview({ ...account.to({ price: prices[1]?.id ?? '' }), ...NOW });
  expect(amountsOf(preview)).toEqual([-2_000, 6_000]);
  await account.change({ ...account.to({ price: prices[1]?.id ?? '' }), ...NOW });
  await account.advance('2026-04-21');
  const again = await account.change({ ...account.to({ quantity: 2 }), ...NOW });
  expect(amountsOf(invoiceOf(again))).toEqual([-3_000, 6_000]);
});

test('prorates items that are added and removed', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000 });
  const extra = await account.createPrice(600);
  await account.advance('2026-04-16');
  const added = await account.change({ items: [{ price: extra.id, quantity: 2 }], ...NOW });
  expect(amountsOf(invoiceOf(added))).toEqual([600]);
  const removed = await account.change({ items: [{ id: added.items.data[1]?.id ?? '', deleted: true }], ...NOW });
  expect(amountsOf(invoiceOf(removed))).toEqual([-600]);
  const untouched = await account.change({ ...account.to({ quantity: 1 }), ...NOW });
  expect(invoiceOf(untouched).id).toBe(invoiceOf(removed).id);
});

test('takes waiting prorations into the invoice of a later change', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000 });
  await account.advance('2026-04-16');
  await account.change(account.to({ quantity: 2 }));
  const terms = { ...account.to({ quantity: 3 }), ...NOW };
  const preview = await account.preview(terms);
  expect(amountsOf(preview)).toEqual([-1_500, 3_000, -3_000, 4_500]);
  expect(amountsOf(invoiceOf(await account.change(terms)))).toEqual(amountsOf(preview));
});

test('prorates nothing in a trial, and charges at once when it ends', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 3_000, trial_period_days: 14 });
  const other = await account.createPrice(5_000);
  await account.advance('2026-04-05');
  const kept = await account.change({ ...account.to({ price: other.id }), ...NOW });
  expect(kept).toMatchObject({ status: 'trialing', trial_end: seconds('2026-04-15') });
  expect(invoiceOf(kept).billing_reason).toBe('subscription_create');
  expect(await account.preview({})).toMatchObject({ total: 5_000, created: seconds('2026-04-15') });
  const ended = await account.change({ trial_end: 'now' });
  expect(ended).toMatchObject({ status: 'active', trial_end: seconds('2026-04-05') });
  expect(invoiceOf(ended)).toMatchObject({ amount_paid: 5_000, billing_reason: 'subscription_update' });
});

test('carries a total below the least charge over to the next invoice', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { amount: 60 });
  await account.advance('2026-04-16');
  const terms = { ...account.to({ quantity: 2 }), ...NOW };
  const small = { total: 30, amount_due: 0, ending_balance: 30 };
  expect(await account.preview(terms)).toMatchObject(small);
  expect(invoiceOf(await account.change(terms))).toMatchObject({ ...small, status: 'paid', amount_paid: 0 });
  const [carried] = (await account.stripe.customers.listBalanceTransactions(account.customer.id)).data;
  expect(carried).toMatchObject({ amount: 30, ending_balance: 30, type: 'invoice_too_small' });
  await account.advance('2026-05-01T01:00:00Z');
  expect(invoiceOf(await account.current())).toMatchObject({ total: 120, amount_paid: 150 });
});

test('leaves the invoice of a change open that is sent', async () => {
  await using processor = await startProcessor();
  const sent = { collection_method: 'send_invoice', days_until_due: 7 } as const;
  const account = await startOnClock(processor, '2026-04-01', sent);
  await account.advance('2026-04-16');
  const changed = await account.change({ ...account.to({ quantity: 3 }), ...NOW });
  expect(changed).toMatchObject({ status: 'active', latest_invoice: { status: 'open', amount_due: 1_000 } });
});

test('is past due, with the change, when the card declines', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01');
  const failing = await account.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
    customer: account.customer.id,
  });
  await account.advance('2026-04-16');
  const changed = await account.change({
    ...account.to({ quantity: 3 }),
    ...NOW,
    default_payment_method: failing.id,
  });
  expect(changed).toMatchObject({ status: 'past_due', items: { data: [{ quantity: 3 }] } });
  expect(invoiceOf(changed)).toMatchObject({ status: 'open', attempt_count: 1 });
});

test('refuses dates outside of the period, dates without a proration, and mixed intervals', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01');
  const yearly = await account.createPrice(9_000, 'year');
  const late = { ...account.to({ quantity: 2 }), proration_date: seconds('2026-05-02') };
  await expect(account.change(late)).rejects.toMatchObject({ param: 'proration_date' });
  await expect(account.preview(late)).rejects.toMatchObject({ statusCode: 400 });
  const date = { proration_date: seconds('2026-04-01') };
  await expect(account.preview(date)).rejects.toThrow(/proration_date/);
  const none = { ...account.to({ quantity: 2 }), ...date, proration_behavior: 'none' as const };
  await expect(account.preview(none)).rejects.toThrow(/proration_behavior=none/);
  await expect(account.change({ items: [{ price: yearly.id }] })).rejects.toThrow(/same interval/);
  const foreign = { customer: 'cus_none' };
  await expect(account.preview({}, foreign)).rejects.toMatchObject({ param: 'customer' });
});

test('shows ten lines of a preview and of an expanded invoice, and lists all', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01');
  const prices = await Promise.all(Array.from({ length: 6 }, (_, index) => account.createPrice(100 * (index + 5))));
  const added = await account.change({ items: prices.map(({ id }) => ({ price: id })) });
  const items = added.items.data.map(({ id }) => ({ id, quantity: 2 }));
  const preview = await account.preview({ items, ...NOW });
  expect(preview.lines).toMatchObject({ has_more: true });
  expect(preview.lines.data).toHaveLength(10);
  const all = await account.stripe.invoices.listLineItems(preview.id, { limit: 100 });
  expect(all.data.reduce((sum, { amount }) => sum + amount, 0)).toBe(preview.total);
  expect(all.data).toHaveLength(6 + 2 * 7);
  const { lines } = invoiceOf(await account.change({ items, ...NOW }));
  expect([lines.has_more, lines.data.length]).toEqual([true, 10]);
});

test('refuses to change what is billed before the first invoice is paid', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01', { card: 'pm_card_authenticationRequired' });
  await expect(account.change(account.to({ quantity: 2 }))).rejects.toThrow(/incomplete/);
});

test('previews only, and shows the coming period alone on request', async () => {
  await using processor = await startProcessor();
  const account = await startOnClock(processor, '2026-04-01');
  await account.advance('2026-04-16');
  const before = await account.current();
  const events = (await account.stripe.events.list({ limit: 100 })).data.length;
  const recurring = await account.preview({ ...account.to({ quantity: 3 }), ...NOW }, { preview_mode: 'recurring' });
  expect(amountsOf(recurring)).toEqual([3_000]);
  expect(await account.current()).toEqual(before);
  expect((await account.stripe.events.list({ limit: 100 })).data).toHaveLength(events);
  expect((await account.stripe.invoiceItems.list()).data).toEqual([]);
});
