import { expect, it } from 'vitest';
import { isMissing, ProcessorError } from '../../src/errors.ts';
import type { Cases } from './cases.ts';

const DAY_MS = 86_400_000;

/** Tests checkout and setup sessions. */
export function checkoutCases({ paidIt, processor, key, createCustomer, openCheckout, openSetup, pay }: Cases): void {
  paidIt('creates its subscription only when it is paid', async () => {
    const metadata = { projectId: 'proj_1', priceId: 'pri_1' };
    const { customer, session } = await openCheckout({ metadata });
    expect(session).toMatchObject({ mode: 'subscription', status: 'open', subscriptionId: null, metadata });
    expect(await processor().listSubscriptions(customer.id)).toEqual([]);

    const paid = await pay(session);

    expect(paid).toMatchObject({ status: 'complete', paymentStatus: 'paid', customerId: customer.id });
    const [subscription] = await processor().listSubscriptions(customer.id);
    expect(subscription).toMatchObject({ id: paid.subscriptionId, status: 'active', metadata });
  });

  paidIt('starts a trial', async () => {
    const { customer, session } = await openCheckout({ trialDays: 14 });
    expect(await pay(session)).toMatchObject({ paymentStatus: 'no_payment_required' });
    const [subscription] = await processor().listSubscriptions(customer.id);
    expect(subscription?.status).toBe('trialing');
    const length = Number(subscription?.trialEnd) - Number(subscription?.startedAt);
    expect(length).toBe(14 * DAY_MS);
  });

  it('takes its options', async () => {
    const options = { allowPromotionCodes: true, automaticTax: true, taxIdCollection: true } as const;
    const { session } = await openCheckout({ ...options, clientReferenceId: 'order 1', locale: 'de' });
    expect(session.status).toBe('open');
  });

  paidIt('takes a one-time payment without a subscription', async () => {
    const { customer, session } = await openCheckout({ mode: 'payment' });
    const paid = await pay(session);
    expect(paid).toMatchObject({ mode: 'payment', status: 'complete', paymentStatus: 'paid', subscriptionId: null });
    expect(paid.paymentIntentId).toMatch(/./);
    expect(await processor().listSubscriptions(customer.id)).toEqual([]);
  });

  paidIt('saves a card', async () => {
    const customer = await createCustomer();
    const session = await openSetup(customer.id);
    const done = await pay(session);
    expect(done).toMatchObject({ mode: 'setup', status: 'complete', subscriptionId: null });
    const { paymentMethodId } = await processor().findSavedPaymentMethod(done.setupIntentId ?? '');
    await processor().updateCustomer(customer.id, { defaultPaymentMethodId: paymentMethodId ?? '' }, key());
    const { customerDefault } = await processor().findPaymentMethods(customer.id);
    const card = { last4: expect.stringMatching(/^\d{4}$/), expiry: { expMonth: expect.any(Number) } };
    expect(customerDefault).toMatchObject({ id: paymentMethodId, type: 'card', ...card });
  });

  it('rejects an unknown customer or price, too long a trial and an invalid URL', async () => {
    await expect(openCheckout({ customerId: 'cus_none' })).rejects.toSatisfy(isMissing);
    await expect(openCheckout({ lines: [{ priceId: 'price_none', quantity: 1 }] })).rejects.toSatisfy(isMissing);
    await expect(openCheckout({ trialDays: 731 })).rejects.toBeInstanceOf(ProcessorError);
    await expect(openCheckout({ successUrl: 'example.com' })).rejects.toBeInstanceOf(ProcessorError);
  });

  it('rejects an archived price', async () => {
    const { customer, price } = await openCheckout();
    await processor().updatePrice(price.id, { isActive: false }, key());
    const lines = [{ priceId: price.id, quantity: 1 }];
    await expect(openCheckout({ customerId: customer.id, lines })).rejects.toBeInstanceOf(ProcessorError);
  });
}
