import { expect } from 'vitest';
import { z } from 'zod';
import { isMissing, ProcessorError } from '../../src/errors.ts';
import { readInvoice } from '../../src/snapshots/invoice.ts';
import type { Cases } from './cases.ts';

const DAY_MS = 86_400_000;
const withObject = z.object({ data: z.object({ object: z.unknown() }) });

/** Tests subscriptions. */
export function subscriptionCases({ paidIt, processor, key, subscribe, createCustomer, openSetup, pay }: Cases): void {
  paidIt('has its price, quantity, current period and card', async () => {
    const { customer, price, subscription } = await subscribe();
    expect(subscription).toMatchObject({ customerId: customer.id, cancelAtPeriodEnd: false, endedAt: null });
    expect(subscription.items).toMatchObject([{ quantity: 2, price: { id: price.id, unitAmount: 2_999 } }]);
    const length = Number(subscription.currentPeriodEnd) - Number(subscription.currentPeriodStart);
    expect(length).toBeGreaterThanOrEqual(28 * DAY_MS);
    expect(length).toBeLessThanOrEqual(31 * DAY_MS);
    const { ofSubscriptions } = await processor().findPaymentMethods(customer.id);
    expect(ofSubscriptions.get(subscription.id)).toMatchObject({ id: subscription.defaultPaymentMethodId });
  });

  paidIt('is set to end with its period, and resumed', async () => {
    const { subscription } = await subscribe();
    const cancellation = { reason: 'too_complex', comment: 'Too many options.' } as const;
    const scheduled = await processor().setCancelAtPeriodEnd(subscription.id, true, key(), cancellation);
    expect(scheduled).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, cancellation, endedAt: null });
    const resumed = await processor().setCancelAtPeriodEnd(subscription.id, false, key());
    const nothing = { reason: null, comment: null };
    expect(resumed).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, cancellation: nothing });
  });

  paidIt('is canceled with its unused part credited, as previewed', async () => {
    const { subscription } = await subscribe();
    const preview = await processor().previewCancellation(subscription.id, true);
    expect(preview?.lines).toMatchObject([{ isProration: true }]);
    expect(preview?.total).toBeLessThan(0);
    expect(await processor().listUnfinishedInvoices(subscription.id)).toEqual([]);
    const billing = { prorate: true, invoiceNow: true };
    const { status, latestInvoiceId } = await processor().cancelSubscription(subscription.id, key(), null, billing);
    const final = await processor().findInvoice(latestInvoiceId ?? '');
    expect([status, final.status, final.amountDue]).toEqual(['canceled', 'paid', 0]);
    expect(final.total).toBeLessThan(0);
  });

  paidIt('stays active while its payments are paused, until they are resumed', async () => {
    const { subscription } = await subscribe();
    const resumesAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 7 * DAY_MS);
    const paused = await processor().pauseCollection(subscription.id, { behavior: 'void', resumesAt }, key());
    expect(paused).toMatchObject({ status: 'active', pauseCollection: { behavior: 'void', resumesAt } });
    const again = { behavior: 'keep_as_draft', resumesAt: null } as const;
    const changed = await processor().pauseCollection(subscription.id, again, key());
    expect(changed.pauseCollection).toEqual(again);
    const resumed = await processor().resumeCollection(subscription.id, key());
    expect(resumed).toMatchObject({ status: 'active', pauseCollection: null });
    const past = { behavior: 'void', resumesAt: new Date(Date.now() - DAY_MS) } as const;
    await expect(processor().pauseCollection(subscription.id, past, key())).rejects.toBeInstanceOf(ProcessorError);
  });

  paidIt('has another end of its trial, or gets a trial', async () => {
    const { subscription } = await subscribe({ trialDays: 7 });
    const later = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 30 * DAY_MS);
    const extended = await processor().setTrialEnd(subscription.id, later, key());
    expect(extended).toMatchObject({ status: 'trialing', trialEnd: later, currentPeriodEnd: later });
    const { subscription: active } = await subscribe();
    const begun = await processor().setTrialEnd(active.id, later, key());
    expect(begun).toMatchObject({ status: 'trialing', trialEnd: later, latestInvoiceId: active.latestInvoiceId });
    for (const days of [-1, 800])
      await expect(
        processor().setTrialEnd(subscription.id, new Date(Date.now() + days * DAY_MS), key()),
      ).rejects.toBeInstanceOf(ProcessorError);
  });

  paidIt('has no final invoice when nothing waits for one', async () => {
    const { subscription } = await subscribe();
    expect(await processor().previewCancellation(subscription.id, false)).toBeNull();
  });

  paidIt('is canceled at once, for good', async () => {
    const { customer, subscription } = await subscribe();
    const cancellation = { reason: 'unused', comment: null } as const;
    const canceled = await processor().cancelSubscription(subscription.id, key(), cancellation);
    expect(canceled).toMatchObject({ status: 'canceled', cancelAtPeriodEnd: false, cancellation });
    expect(canceled.endedAt).toBeInstanceOf(Date);
    expect((await processor().listSubscriptions(customer.id)).map(({ status }) => status)).toEqual(['canceled']);
    const late = processor().setCancelAtPeriodEnd(subscription.id, true, key());
    await expect(late).rejects.toBeInstanceOf(ProcessorError);
    await expect(processor().cancelSubscription(subscription.id, key())).rejects.toSatisfy(isMissing);
  });

  paidIt('has a paid invoice, equal to the one in its event', async () => {
    const { customer, subscription } = await subscribe();
    const { events } = await processor().listEvents({});
    const invoices = events
      .filter(({ type }) => type === 'invoice.paid')
      .map(event => readInvoice(withObject.parse(event).data.object));
    const received = invoices.find(({ customerId }) => customerId === customer.id);
    expect(received).toMatchObject({ status: 'paid', amountPaid: 2 * 2_999, subscriptionId: subscription.id });
    // Events have no payments.
    const found = await processor().findInvoice(received?.id ?? '');
    expect(found).toEqual({ ...received, paymentIds: found.paymentIds });
    await expect(processor().findInvoice('in_none')).rejects.toSatisfy(isMissing);
  });

  paidIt('is listed for its customer with its invoices, newest first, page by page', async () => {
    const { customer, price, subscription } = await subscribe();
    const second = await subscribe({ customerId: customer.id, lines: [{ priceId: price.id, quantity: 1 }] });
    const subscriptions = await processor().listSubscriptions(customer.id);
    expect(subscriptions.map(({ id }) => id)).toEqual([second.subscription.id, subscription.id]);
    expect(subscriptions).toEqual([second.subscription, subscription]);
    const rest = await processor().listSubscriptions(customer.id, second.subscription.id);
    expect(rest.map(({ id }) => id)).toEqual([subscription.id]);
    expect(await processor().listSubscriptions(customer.id, subscription.id)).toEqual([]);

    const invoices = await processor().listInvoices(customer.id);
    expect(invoices.map(({ subscriptionId }) => subscriptionId)).toEqual(subscriptions.map(({ id }) => id));
    const [newest, oldest] = invoices;
    expect(await processor().findInvoice(newest?.id ?? '')).toEqual(newest);
    expect(await processor().listInvoices(customer.id, newest?.id)).toEqual([oldest]);
    expect(await processor().listInvoices((await createCustomer()).id)).toEqual([]);
  });

  paidIt('changes its card, and so does its customer', async () => {
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
    const { customerDefault, ofSubscriptions } = await processor().findPaymentMethods(customer.id);
    expect([customerDefault?.id, ofSubscriptions.get(subscription.id)?.id]).toEqual([id, id]);
  });

  paidIt('rejects the card of another customer', async () => {
    const { subscription } = await subscribe();
    const other = await createCustomer();
    const foreign = await subscribe({ customerId: other.id });
    const card = foreign.subscription.defaultPaymentMethodId ?? '';
    const refused = processor().setSubscriptionPaymentMethod(subscription.id, card, key());
    await expect(refused).rejects.toBeInstanceOf(ProcessorError);
  });
}
