import { expect, it } from 'vitest';
import { z } from 'zod';
import { isMissing, ProcessorError } from '../errors.ts';
import { readInvoice } from '../snapshots/invoice.ts';
import type { Cases } from './cases.ts';

const DAY_MS = 86_400_000;
const withObject = z.object({ data: z.object({ object: z.unknown() }) });

/** Tests subscriptions. */
export function subscriptionCases({ processor, key, subscribe, createCustomer, openSetup, pay }: Cases): void {
  it('has its price, quantity, current period and card', async () => {
    const { customer, price, subscription } = await subscribe();
    expect(subscription).toMatchObject({ customerId: customer.id, cancelAtPeriodEnd: false, endedAt: null });
    expect(subscription.items).toMatchObject([{ quantity: 2, price: { id: price.id, unitAmount: 2_999 } }]);
    const length = Number(subscription.currentPeriodEnd) - Number(subscription.currentPeriodStart);
    expect(length).toBeGreaterThanOrEqual(28 * DAY_MS);
    expect(length).toBeLessThanOrEqual(31 * DAY_MS);
    expect(subscription.defaultPaymentMethodId).toBe((await processor().findPaymentMethod(customer.id))?.id);
  });

  it('is set to end with its period, and resumed', async () => {
    const { subscription } = await subscribe();
    const scheduled = await processor().setCancelAtPeriodEnd(subscription.id, true, key());
    expect(scheduled).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, endedAt: null });
    const resumed = await processor().setCancelAtPeriodEnd(subscription.id, false, key());
    expect(resumed).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
  });

  it('is canceled at once, for good', async () => {
    const { customer, subscription } = await subscribe();
    const canceled = await processor().cancelSubscription(subscription.id, key());
    expect(canceled).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false });
    expect(canceled.endedAt).toBeInstanceOf(Date);
    expect((await processor().listSubscriptions(customer.id)).map(({ status }) => status)).toEqual(['canceled']);
    const late = processor().setCancelAtPeriodEnd(subscription.id, true, key());
    await expect(late).rejects.toBeInstanceOf(ProcessorError);
    await expect(processor().cancelSubscription(subscription.id, key())).rejects.toSatisfy(isMissing);
  });

  it('has a paid invoice, equal to the one in its event', async () => {
    const { customer, subscription } = await subscribe();
    const { events } = await processor().listEvents({});
    const invoices = events
      .filter(({ type }) => type === 'invoice.paid')
      .map(event => readInvoice(withObject.parse(event).data.object));
    const received = invoices.find(({ customerId }) => customerId === customer.id);
    expect(received).toMatchObject({ status: 'paid', amountPaid: 2 * 2_999, subscriptionId: subscription.id });
    expect(await processor().findInvoice(received?.id ?? '')).toEqual(received);
    await expect(processor().findInvoice('in_none')).rejects.toSatisfy(isMissing);
  });

  it('changes its card, and so does its customer', async () => {
    const { customer, subscription } = await subscribe();
    const { setupIntentId } = await pay(await openSetup(customer.id));
    const { paymentMethodId } = await processor().findSavedPaymentMethod(setupIntentId ?? '');
    const id = paymentMethodId ?? '';
    expect(id).not.toBe(subscription.defaultPaymentMethodId);
    expect(await processor().setSubscriptionPaymentMethod(subscription.id, id, key())).toMatchObject({
      defaultPaymentMethodId: id,
    });
    const updated = await processor().updateCustomer(customer.id, { defaultPaymentMethodId: id }, key());
    expect(updated.defaultPaymentMethodId).toBe(id);
    expect((await processor().findPaymentMethod(customer.id))?.id).toBe(id);
  });

  it('rejects the card of another customer', async () => {
    const { subscription } = await subscribe();
    const other = await createCustomer();
    const foreign = await subscribe({ customerId: other.id });
    const card = foreign.subscription.defaultPaymentMethodId ?? '';
    const refused = processor().setSubscriptionPaymentMethod(subscription.id, card, key());
    await expect(refused).rejects.toBeInstanceOf(ProcessorError);
  });
}
