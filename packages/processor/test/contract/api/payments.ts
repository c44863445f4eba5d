import { expect } from 'vitest';
import { type ApiAccount, idOf } from './account.ts';
import { apiCase, standInCase } from './case.ts';
import { useCard } from './payment-behavior.ts';
import { APRIL, changing } from './plan-changes.ts';

const DAY = 86_400;

/** Creates a subscription and returns the charge that paid its first invoice. */
async function pay({ stripe, subscribe }: ApiAccount) {
  const { customer } = await subscribe();
  const [charge] = (await stripe.charges.list({ customer: idOf(customer) })).data;
  if (!charge) throw new Error('The subscription has no charge.');
  return charge;
}

export const paymentCases = [
  apiCase('refunds a charge in parts, up to its amount', async account => {
    const { record, refusalOf, stripe, once, findEvent } = account;
    const charge = record('charge', await pay(account));
    const part = await stripe.refunds.create({ charge: charge.id, amount: 1_000 }, once());
    expect(record('refund', part)).toMatchObject({ amount: 1_000, status: 'succeeded', charge: charge.id });
    const after = await stripe.charges.retrieve(charge.id);
    expect(after).toMatchObject({ amount_refunded: 1_000, refunded: false });
    const tooMuch = stripe.refunds.create({ charge: charge.id, amount: 2_000 }, once());
    expect(await refusalOf('too much', tooMuch)).toMatchObject({ status: 400 });

    const rest = await stripe.refunds.create({ payment_intent: idOf(charge.payment_intent) }, once());

    expect(rest.amount).toBe(1_999);
    const refunded = await stripe.charges.retrieve(charge.id);
    expect(record('refunded', refunded)).toMatchObject({ amount_refunded: 2_999, refunded: true });
    const again = stripe.refunds.create({ charge: charge.id }, once());
    expect(await refusalOf('again', again)).toMatchObject({ code: 'charge_already_refunded' });
    const listed = await stripe.refunds.list({ charge: charge.id });
    expect(listed.data.map(({ id }) => id)).toEqual([rest.id, part.id]);
    await findEvent('charge.refunded', charge.id);
    await findEvent('refund.created', part.id);
    await findEvent('refund.updated', part.id);
  }),

  apiCase('refuses a refund of nothing', async ({ refusalOf, stripe, once }) => {
    expect(await refusalOf('no charge', stripe.refunds.create({}, once()))).toMatchObject({ status: 400 });
    const unknown = stripe.refunds.create({ charge: 'ch_none' }, once());
    expect(await refusalOf('an unknown charge', unknown)).toMatchObject({ code: 'resource_missing' });
  }),

  apiCase('is disputed with a test card, and the dispute is accepted', async account => {
    const { record, stripe, createPayer, subscribe, eventually, findEvent } = account;
    const { id: customer } = await createPayer('pm_card_createDispute');
    await subscribe({ customer });
    const [charge] = (await stripe.charges.list({ customer })).data;
    const id = charge?.id ?? '';
    const dispute = await eventually(async () => (await stripe.disputes.list({ charge: id })).data[0]);
    expect(record('dispute', dispute)).toMatchObject({ amount: 2_999, status: 'needs_response', charge: id });
    expect((await stripe.charges.retrieve(id)).disputed).toBe(true);
    const closed = await stripe.disputes.close(dispute.id);
    expect(record('closed', closed).status).toBe('lost');
    await findEvent('charge.dispute.created', dispute.id);
    await findEvent('charge.dispute.closed', dispute.id);
  }),

  standInCase('is disputed, and the bank decides', async (account, control) => {
    const { stripe, findEvent } = account;
    for (const outcome of ['won', 'lost'] as const) {
      const charge = await pay(account);
      const { id } = await control.openDispute(charge.id);
      await control.closeDispute(id, outcome);
      expect((await stripe.disputes.retrieve(id)).status).toBe(outcome);
      await findEvent('charge.dispute.closed', id);
    }
  }),

  apiCase('is collected by hand, which the schedule does not count', async account => {
    const { record, refusalOf, stripe, once, findEvent } = account;
    await changing(account, { ...APRIL, amount: 3_000 }, async ({ subscription, advance }) => {
      const customer = idOf(subscription.customer);
      await useCard(account, 'pm_card_chargeCustomerFail', customer);
      await advance(30 * DAY + 7_200);
      const [invoice] = (await stripe.invoices.list({ subscription: subscription.id, limit: 1 })).data;
      const id = invoice?.id ?? '';
      const declined = { status: 'open', attempt_count: 1, billing_reason: 'subscription_cycle' };
      expect(record('declined', invoice)).toMatchObject({ ...declined, next_payment_attempt: expect.any(Number) });
      expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'past_due' });
      const again = stripe.invoices.pay(id, {}, once());
      expect(await refusalOf('again', again)).toMatchObject({ status: 402, code: 'card_declined' });
      expect(await stripe.invoices.retrieve(id)).toMatchObject(declined);
      await useCard(account, 'pm_card_visa', customer);
      const paid = await stripe.invoices.pay(id, {}, once());
      expect(record('paid', paid)).toMatchObject({ status: 'paid', attempt_count: 1, next_payment_attempt: null });
      expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
      for (const type of ['invoice.payment_failed', 'invoice.paid']) await findEvent(type, id);
    });
  }),

  apiCase(
    'marks an open invoice as uncollectible, and voids it',
    async ({ record, refusalOf, stripe, subscribe, once, findEvent }) => {
      const { latest_invoice } = await subscribe({ payment_behavior: 'default_incomplete' });
      const id = idOf(latest_invoice);
      const marked = await stripe.invoices.markUncollectible(id, {}, once());
      expect(record('uncollectible', marked).status).toBe('uncollectible');
      const voided = await stripe.invoices.voidInvoice(id, {}, once());
      expect(record('void', voided).status).toBe('void');
      const paid = stripe.invoices.pay(id, {}, once());
      expect(await refusalOf('paid', paid)).toMatchObject({ status: 400 });
      const finalized = stripe.invoices.finalizeInvoice(id, {}, once());
      expect(await refusalOf('finalized', finalized)).toMatchObject({ status: 400 });
      for (const type of ['invoice.finalized', 'invoice.marked_uncollectible', 'invoice.voided'])
        await findEvent(type, id);
    },
  ),
];
