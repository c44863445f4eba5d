import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { errorOf } from '../system/http.ts';
import {
  declineCard,
  newCustomer,
  newMonthlyPrice,
  newSubscription,
  newTenant,
  payOnHostedPage,
  saveCard,
  type Tenant,
} from '../system/tenant.ts';

// What takes several services. What one of them does alone is tested there.

let tenant: Tenant;
/** What is bought, and another plan of the same product, which gives more seats. */
let basic: string;
let plus: string;
beforeAll(async () => {
  tenant = await newTenant();
  const { billing } = tenant;
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const monthly = { unitAmount: 4_999, currency: 'usd', interval: 'month' } as const;
  [basic, plus] = [priceId, (await billing.prices.create({ productId, ...monthly })).id];
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  await billing.priceFeatures.set(basic, 'seats', { value: 5 });
  await billing.priceFeatures.set(plus, 'seats', { value: 20 });
});

const seatsOf = async (customerId: string) =>
  (await tenant.billing.states.get(customerId)).entitlements['seats']?.value;
const waitForPlan = (id: string, priceId: string) =>
  waitFor(
    async () => {
      const subscription = await tenant.billing.subscriptions.get(id);
      return subscription.priceId === priceId ? subscription : undefined;
    },
    { what: `${id} to have the price ${priceId}`, intervalMs: 50 },
  );
const atProcessor = async (processorSubscriptionId: string) => {
  const { items, pending_update, schedule } = await tenant.callProcessor(
    `/v1/subscriptions/${processorSubscriptionId}`,
  );
  return { prices: items.data.map((item: { price: { id: string } }) => item.price.id), pending_update, schedule };
};

it('charges what the preview said, gives what it said, and moves revenue and events once', async () => {
  const { billing } = tenant;
  const { id, customerId, processorSubscriptionId } = await newSubscription(tenant, basic);
  await waitFor(async () => (await seatsOf(customerId)) === 5, { what: 'the seats of the first plan' });
  const mrrOf = async () => (await billing.analytics.get()).mrr;
  const mrr = 2_999;
  await waitFor(async () => (await mrrOf()) === mrr, { what: 'the revenue of the first plan' });
  await drain(tenant);

  const preview = await billing.subscriptions.previewChange(id, { priceId: plus });
  expect(preview).toMatchObject({
    direction: 'up',
    currency: 'usd',
    exact: true,
    entitlementChanges: [{ feature: 'seats', from: 5, to: 20 }],
  });
  const { prorationDate, amountDue } = preview;
  expect(amountDue).toBeGreaterThan(0);
  const change = { priceId: plus, prorationDate };
  const tooLittle = await errorOf(billing.subscriptions.change(id, { ...change, expectedAmountDue: amountDue - 1 }));
  if (!tooLittle.is('amount_changed')) throw tooLittle;
  expect(tooLittle.details).toEqual({ expected: amountDue - 1, actual: amountDue });
  expect(await billing.subscriptions.get(id)).toMatchObject({ priceId: basic, pendingChange: null });

  const changed = await billing.subscriptions.change(id, { ...change, expectedAmountDue: amountDue });
  expect(changed).toMatchObject({
    change: { status: 'applied', items: [{ priceId: plus, quantity: 1 }] },
    invoice: { status: 'paid', amountDue, amountPaid: amountDue, subscriptionId: id },
    subscription: { id, priceId: plus, quantity: 1, pendingChange: null, scheduledChange: null },
  });
  await waitFor(async () => (await seatsOf(customerId)) === 20, { what: 'the seats of the new plan' });
  await waitFor(async () => (await mrrOf()) === mrr + 2_000, { what: 'the revenue of the new plan' });
  await drain(tenant);
  expect(await mrrOf()).toBe(mrr + 2_000);
  const { items: all } = await billing.subscriptions.list({ customerId, activeOnly: false }).page();
  expect(all.map(one => one.id)).toEqual([id]);
  const invoices = await Array.fromAsync(billing.invoices.list({ customerId }));
  expect(invoices.map(({ amountPaid }) => amountPaid).toSorted((a, b) => a - b)).toEqual(
    [amountDue, 2_999].toSorted((a, b) => a - b),
  );
  const { processorPriceId } = await billing.prices.get(plus);
  expect(await atProcessor(processorSubscriptionId)).toMatchObject({
    prices: [processorPriceId],
    pending_update: null,
  });
  const events = await Array.fromAsync(billing.events.list({ types: ['subscription.updated'], objectId: id }));
  const moved = events.filter(
    event => event.type === 'subscription.updated' && event.previousAttributes?.priceId === basic,
  );
  expect(moved).toHaveLength(1);
});

it('keeps the plan while the card is declined, and changes it when the customer pays on the page', async () => {
  const { billing } = tenant;
  const { id, customerId, processorSubscriptionId } = await newSubscription(tenant, basic);
  await declineCard(tenant, { processorSubscriptionId });
  const refused = await errorOf(
    billing.subscriptions.change(id, { priceId: plus, paymentBehavior: 'error_if_incomplete' }),
  );
  if (!refused.is('payment_failed')) throw refused;
  expect(refused.details).toMatchObject({ reason: 'declined' });
  // That of the first payment may still be on its way from open to paid.
  await expect.poll(async () => (await billing.invoices.list({ customerId, status: 'open' }).page()).items).toEqual([]);

  const pending = await billing.subscriptions.change(id, { priceId: plus });
  expect(pending).toMatchObject({
    change: { status: 'pending_payment' },
    invoice: { status: 'open' },
    subscription: { priceId: basic, pendingChange: { reason: 'declined', items: [{ priceId: plus, quantity: 1 }] } },
  });
  const { hostedInvoiceUrl, amountDue } = pending.subscription.pendingChange ?? {};
  expect(amountDue).toBe(pending.invoice?.amountDue);
  expect(await seatsOf(customerId)).toBe(5);
  await payOnHostedPage(String(hostedInvoiceUrl));
  expect(await waitForPlan(id, plus)).toMatchObject({ pendingChange: null });
  await waitFor(async () => (await seatsOf(customerId)) === 20, { what: 'the seats of the new plan' });
});

it('changes at the renewal what is scheduled for it, unless it is taken back', async () => {
  const { billing, processor } = tenant;
  const { id, processorSubscriptionId, currentPeriodEnd } = await newSubscription(tenant, plus);
  const schedule = () => billing.subscriptions.change(id, { priceId: basic, when: 'period_end' });
  const scheduledChange = { items: [{ priceId: basic, quantity: 1 }], effectiveAt: currentPeriodEnd };
  expect(await schedule()).toMatchObject({
    change: { status: 'scheduled' },
    invoice: null,
    subscription: { priceId: plus, scheduledChange },
  });
  expect(await billing.subscriptions.dropChange(id)).toMatchObject({ priceId: plus, scheduledChange: null });
  expect(await errorOf(billing.subscriptions.dropChange(id))).toMatchObject({ status: 404, code: 'change_not_found' });
  expect((await atProcessor(processorSubscriptionId)).schedule).toBeNull();

  await schedule();
  const { now } = await processor.clock();
  await processor.advanceClock(Date.parse(currentPeriodEnd) / 1_000 - now + 1);
  expect(await waitForPlan(id, basic)).toMatchObject({ scheduledChange: null });
  const { processorPriceId } = await billing.prices.get(basic);
  const isReleased = async () => (await atProcessor(processorSubscriptionId)).schedule === null;
  await waitFor(isReleased, { what: 'the schedule to be released', intervalMs: 50 });
  expect(await atProcessor(processorSubscriptionId)).toMatchObject({ prices: [processorPriceId] });
});

it('counts what is sold in euros, and its change, in the revenue of euros only', async () => {
  const other = await newTenant();
  const { billing } = other;
  const { productId } = await newMonthlyPrice(other);
  const newPrice = (unitAmount: number, eur: number) =>
    billing.prices.create({
      productId,
      unitAmount,
      currency: 'usd',
      interval: 'month',
      currencyOptions: { eur: { unitAmount: eur } },
    });
  const [first, second] = [await newPrice(2_999, 2_750), await newPrice(4_999, 4_550)];
  const customerId = await newCustomer(other);
  await saveCard(other, customerId);
  const sale = { customerId, priceId: first.id, currency: 'eur', collect: 'saved' } as const;
  const { subscription } = await billing.checkout.create(sale);
  const waitForRevenue = (eur: number) =>
    waitFor(
      async () => {
        const { mrr, mrrByCurrency, mrrExcluded } = await billing.analytics.get();
        return mrrByCurrency['eur'] === eur ? { mrr, mrrByCurrency, mrrExcluded } : undefined;
      },
      { what: `the revenue of ${eur} in euros` },
    );
  const inEuros = (eur: number) => ({
    mrr: 0,
    mrrByCurrency: { eur, usd: 0 },
    mrrExcluded: { otherCurrency: 1 },
  });
  expect(await waitForRevenue(2_750)).toMatchObject(inEuros(2_750));

  const { currency } = await billing.subscriptions.previewChange(subscription.id, { priceId: second.id });
  expect(currency).toBe('eur');
  await billing.subscriptions.change(subscription.id, { priceId: second.id });
  expect(await waitForRevenue(4_550)).toMatchObject(inEuros(4_550));
});
