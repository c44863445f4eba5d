import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { LocalProcessorControl } from '../src/control/client.ts';
import { connect, freshKey, startProcessor } from './processor.ts';
import { createCustomerAndPrice, idOf, openCheckout, press } from './checkout-fixtures.ts';

async function pay(processor: { url: string }) {
  const key = freshKey();
  const stripe = connect(processor, key);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'pay');
  const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
  if (!charge) throw new Error('The checkout created no charge.');
  const before = new Set((await stripe.events.list({ limit: 100 })).data.map(({ id }) => id));
  const newEvents = async (): Promise<Stripe.Event[]> =>
    (await stripe.events.list({ limit: 100 })).data.filter(({ id }) => !before.has(id)).toReversed();
  return { stripe, control: new LocalProcessorControl(processor.url, key), charge, newEvents };
}

test('refunds a charge in parts, up to its amount', async () => {
  await using processor = await startProcessor();
  const { stripe, charge, newEvents } = await pay(processor);
  const part = await stripe.refunds.create({ charge: charge.id, amount: 1_000, metadata: { a: '1' } });
  expect(part).toMatchObject({ amount: 1_000, status: 'succeeded', charge: charge.id, metadata: { a: '1' } });
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 1_000, refunded: false });
  await expect(stripe.refunds.create({ charge: charge.id, amount: 2_000 })).rejects.toMatchObject({ param: 'amount' });

  const rest = await stripe.refunds.create({ payment_intent: idOf(charge.payment_intent) });

  expect(rest.amount).toBe(1_999);
  expect(await stripe.charges.retrieve(charge.id, { expand: ['refunds'] })).toMatchObject({
    amount_refunded: 2_999,
    refunded: true,
    refunds: { data: [{ id: rest.id }, { id: part.id }] },
  });
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({ code: 'charge_already_refunded' });
  const types = (await newEvents()).map(({ type }) => type);
  const once = ['refund.created', 'charge.refunded', 'refund.updated'];
  expect(types).toEqual([...once, ...once]);
  const [last] = (await stripe.events.list({ type: 'charge.refunded' })).data;
  expect(last?.data).toMatchObject({ previous_attributes: { amount_refunded: 1_000, refunded: false } });
  expect((await stripe.refunds.list({ charge: charge.id })).data.map(({ id }) => id)).toEqual([rest.id, part.id]);
  expect(await stripe.refunds.retrieve(part.id)).toMatchObject({
    amount: 1_000,
    destination_details: { type: 'card' },
  });
});

test('rejects a refund without a charge, of a failed one and of an unknown one', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { session, customer } = await openCheckout(stripe);
  await press(session, 'decline');
  const [failed] = (await stripe.charges.list({ customer: customer.id })).data;
  for (const wanted of [{}, { charge: failed?.id ?? '' }, { charge: 'ch_none' }, { payment_intent: 'pi_none' }])
    await expect(stripe.refunds.create(wanted)).rejects.toMatchObject({ statusCode: 400 });
});

test.each([
  ['won' as const, ['charge.dispute.closed', 'charge.dispute.funds_reinstated']],
  ['lost' as const, ['charge.dispute.closed']],
])('opens a dispute and closes it as %s', async (outcome, closing) => {
  await using processor = await startProcessor();
  const { stripe, control, charge, newEvents } = await pay(processor);
  const dispute = await control.openDispute(charge.id, { reason: 'product_not_received' });
  expect(await stripe.disputes.retrieve(dispute.id)).toMatchObject({
    amount: 2_999,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    reason: 'product_not_received',
    status: 'needs_response',
  });
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ disputed: true });
  await expect(stripe.refunds.create({ charge: charge.id })).rejects.toMatchObject({ code: 'charge_disputed' });

  await control.closeDispute(dispute.id, outcome);

  expect((await stripe.disputes.list({ charge: charge.id })).data).toMatchObject([{ id: dispute.id, status: outcome }]);
  const opening = ['charge.updated', 'charge.dispute.created', 'charge.dispute.funds_withdrawn'];
  expect((await newEvents()).map(({ type }) => type)).toEqual([...opening, ...closing]);
  await expect(control.closeDispute(dispute.id, outcome)).rejects.toThrow(/already closed/);
});

test('a test card disputes its payments, and the API accepts the dispute', async () => {
  await using processor = await startProcessor();
  const stripe = connect(processor);
  const { customer, price } = await createCustomerAndPrice(stripe);
  const method = await stripe.paymentMethods.attach('pm_card_createDispute', { customer: customer.id });
  const items = [{ price: price.id }];
  await stripe.subscriptions.create({ customer: customer.id, items, default_payment_method: method.id });
  const [dispute] = (await stripe.disputes.list()).data;
  expect(await stripe.disputes.close(dispute?.id ?? '')).toMatchObject({ status: 'lost' });
});
