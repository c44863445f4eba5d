import { randomUUID } from 'node:crypto';
import { BERLIN } from '@billing/testing/addresses';
import { expect, it } from 'vitest';
import { isMissing, isRefused, paymentFailureOf, ProcessorError } from '../../src/errors.ts';
import type { NewCheckoutSession } from '../../src/selling.ts';
import type { NewSubscription } from '../../src/selling.ts';
import { stripeClient } from '../../src/stripe-client.ts';
import type { Cases } from './cases.ts';
import { essenceOf } from './invoicing.ts';

const DAY_MS = 86_400_000;

/** Tests subscriptions that are sold without a page, and what a page can sell of the same. */
export function sellingCases(cases: Cases): void {
  const { paidIt, processor, standIn, key, createCustomer, createPrice, createCode, monthly, openCheckout, pay } =
    cases;
  const raw = () => stripeClient(standIn().secretKey, standIn().baseUrl);
  /** Creates a customer that is charged to a test card of Stripe. */
  const customerWith = async (card: string | null) => {
    const { id } = await createCustomer();
    if (card === null) return id;
    const method = await raw().paymentMethods.attach(card, { customer: id });
    await processor().updateCustomer(id, { defaultPaymentMethodId: method.id }, key());
    return id;
  };
  const sold = async (card: string | null, more: Partial<NewSubscription> = {}) => {
    const [customerId, plan, fee] = [await customerWith(card), await createPrice(monthly), await createPrice(null)];
    const terms: NewSubscription = {
      customerId,
      items: [{ priceId: plan.id, quantity: 2 }],
      addedOnce: [{ priceId: fee.id, quantity: 1 }],
      currency: 'usd',
      automaticTax: false,
      metadata: { checkoutId: randomUUID() },
      ...more,
    };
    return { customerId, plan, fee, terms };
  };
  const firstInvoiceOf = async (customerId: string) => {
    const [invoice] = await processor().listInvoices(customerId);
    if (!invoice) throw new Error(`The customer ${customerId} was not billed.`);
    return invoice;
  };

  it.each([
    { taxBehavior: undefined, title: 'untaxed, with what waits for the customer' },
    { taxBehavior: 'exclusive' as const, title: 'with tax on top' },
    { taxBehavior: 'inclusive' as const, title: 'with tax within' },
  ])('bills what was previewed to the cent, $title, with a code and credit', async ({ taxBehavior }) => {
    const { customerId, plan, fee, terms } = await sold('pm_card_visa');
    await processor().updateCustomer(customerId, { billing: { address: BERLIN } }, key());
    const credit = { amount: -700, currency: 'usd', description: 'Referral', metadata: {} };
    await processor().createBalanceTransaction(customerId, credit, key());
    if (taxBehavior) for (const { id } of [plan, fee]) await processor().updatePrice(id, { taxBehavior }, key());
    else await raw().invoiceItems.create({ customer: customerId, amount: 900, currency: 'usd', description: 'Waits' });
    const promotionCodeId = (await createCode(plan.productId)).id;
    const wanted = { ...terms, automaticTax: taxBehavior !== undefined, promotionCodeId };

    const preview = await processor().previewNewSubscription(wanted);

    expect(preview).toMatchObject({ currency: 'usd', startingBalance: -700, discount: 1_999, prorationDate: null });
    const subscription = await processor().createSubscription(wanted, key());
    expect(subscription).toMatchObject({ status: 'active', customerId, currency: 'usd', metadata: terms.metadata });
    expect(subscription.items).toMatchObject([{ price: { id: plan.id }, quantity: 2 }]);
    const invoice = await firstInvoiceOf(customerId);
    expect(invoice).toMatchObject({ status: 'paid', billingReason: 'subscription_create' });
    expect(invoice.id).toBe(subscription.latestInvoiceId);
    expect(essenceOf(invoice)).toEqual(essenceOf(preview));
    expect(invoice.lines.filter(({ priceId }) => priceId === fee.id)).toHaveLength(1);
    expect((await raw().invoiceItems.list({ customer: customerId, pending: true })).data).toEqual([]);
  });

  it('has all its lines in a preview', async () => {
    const fees = await Promise.all(Array.from({ length: 11 }, () => createPrice(null)));
    const addedOnce = fees.map(({ id: priceId }) => ({ priceId, quantity: 1 }));
    const { terms } = await sold(null, { addedOnce });
    expect((await processor().previewNewSubscription(terms)).lines).toHaveLength(12);
  });

  it('bills only what is billed once at the start of a trial', async () => {
    const { customerId, fee, terms } = await sold('pm_card_visa', { trialDays: 14, trialEndsWithoutMethod: 'pause' });
    const preview = await processor().previewNewSubscription(terms);
    expect(preview).toMatchObject({ total: 2_999, amountDue: 2_999 });
    const subscription = await processor().createSubscription(terms, key());
    expect(subscription.status).toBe('trialing');
    expect(Number(subscription.trialEnd) - Number(subscription.startedAt)).toBe(14 * DAY_MS);
    expect(essenceOf(await firstInvoiceOf(customerId))).toEqual(essenceOf(preview));
    const ends = preview.lines.filter(({ priceId }) => priceId !== fee.id).map(({ periodEnd }) => Number(periodEnd));
    expect(ends).toEqual([expect.closeTo(Number(subscription.trialEnd), -5)]);
    const { trial_settings: settings } = await raw().subscriptions.retrieve(subscription.id);
    expect(settings?.end_behavior.missing_payment_method).toBe('pause');
  });

  it('needs no payment method while nothing is due', async () => {
    const { terms } = await sold(null, { addedOnce: [], trialDays: 7 });
    expect(await processor().previewNewSubscription(terms)).toMatchObject({ amountDue: 0 });
    const subscription = await processor().createSubscription(terms, key());
    expect(subscription).toMatchObject({ status: 'trialing', defaultPaymentMethodId: null });
  });

  it.each([
    { card: null, reason: 'declined', title: 'there is no payment method' },
    { card: 'pm_card_chargeCustomerFail', reason: 'declined', title: 'the card declines' },
    {
      card: 'pm_card_authenticationRequired',
      reason: 'authentication_required',
      title: 'the bank wants a confirmation',
    },
  ])('leaves nothing where $title', async ({ card, reason }) => {
    const { customerId, terms } = await sold(card);
    const refusal: unknown = await processor()
      .createSubscription(terms, key())
      .catch((error: unknown) => error);
    expect(paymentFailureOf(refusal)).toMatchObject({ reason });
    const created = { metadata: terms.metadata, since: new Date() };
    expect(await processor().findCreatedSubscription(customerId, created)).toBeNull();
    expect(await processor().listSubscriptions(customerId)).toEqual([]);
    expect((await processor().listInvoices(customerId)).filter(({ status }) => status !== 'void')).toEqual([]);
    expect((await raw().invoiceItems.list({ customer: customerId, pending: true })).data).toEqual([]);
  });

  it('is charged to a payment method of its own', async () => {
    const { customerId, terms } = await sold(null);
    const method = await raw().paymentMethods.attach('pm_card_visa', { customer: customerId });
    const wanted = { ...terms, paymentMethodId: method.id };
    const subscription = await processor().createSubscription(wanted, key());
    expect(subscription).toMatchObject({ status: 'active', defaultPaymentMethodId: method.id });
  });

  it('is active at once when its invoices are sent, and its first one a draft that is finalized and sent', async () => {
    const { customerId, terms } = await sold(null, { daysUntilDue: 14 });
    const preview = await processor().previewNewSubscription(terms);
    const subscription = await processor().createSubscription(terms, key());
    expect(subscription).toMatchObject({ status: 'active', collectionMethod: 'send_invoice' });
    const draft = await firstInvoiceOf(customerId);
    expect(draft).toMatchObject({ status: 'draft', subscriptionId: subscription.id });
    const finalized = await processor().finalizeInvoice(draft.id, true, key());
    expect(essenceOf(finalized)).toEqual(essenceOf(preview));
    expect(await processor().sendInvoice(draft.id, key())).toMatchObject({ status: 'open', amountDue: 3 * 2_999 });
  });

  it('is created once under one idempotency key, and found by its operation, also once it has ended', async () => {
    const { customerId, terms } = await sold('pm_card_visa');
    const sameKey = key();
    const subscription = await processor().createSubscription(terms, sameKey);
    expect(await processor().createSubscription(terms, sameKey)).toEqual(subscription);
    const created = { metadata: terms.metadata, since: new Date() };
    expect(await processor().findCreatedSubscription(customerId, created)).toEqual(subscription);
    const other = { ...created, metadata: { checkoutId: randomUUID() } };
    expect(await processor().findCreatedSubscription(customerId, other)).toBeNull();
    const canceled = await processor().cancelSubscription(subscription.id, key());
    expect(await processor().findCreatedSubscription(customerId, created)).toEqual(canceled);
  });

  it('is refused for a price of the other type, an unknown one, or a second currency', async () => {
    const { customerId, plan, fee, terms } = await sold('pm_card_visa');
    for (const wrong of [
      { items: [{ priceId: fee.id, quantity: 1 }] },
      { addedOnce: [{ priceId: plan.id, quantity: 1 }] },
      { currency: 'eur' },
    ]) {
      const previewed = processor().previewNewSubscription({ ...terms, ...wrong });
      await expect(previewed).rejects.toBeInstanceOf(ProcessorError);
      const refused = processor().createSubscription({ ...terms, ...wrong }, key());
      await expect(refused).rejects.toBeInstanceOf(ProcessorError);
    }
    const unknown = { ...terms, items: [{ priceId: 'price_none', quantity: 1 }] };
    await expect(processor().createSubscription(unknown, key())).rejects.toSatisfy(isMissing);
    await processor().createSubscription(terms, key());
    const currency_options = { eur: { unit_amount: 2_500 } };
    for (const { id } of [plan, fee]) await raw().prices.update(id, { currency_options });
    const second = { ...terms, customerId, currency: 'eur' };
    await expect(processor().createSubscription(second, key())).rejects.toSatisfy(isRefused);
  });

  it('has a page that is expired, so that nobody pays it', async () => {
    const { session } = await openCheckout();
    for (const repeated of [session.id, session.id])
      expect(await processor().expireCheckoutSession(repeated, key())).toMatchObject({ status: 'expired', url: null });
    await expect(processor().expireCheckoutSession('cs_test_none', key())).rejects.toSatisfy(isMissing);
  });

  paidIt('has a page that is not expired once it is paid', async () => {
    const { session } = await openCheckout();
    await pay(session);
    await expect(processor().expireCheckoutSession(session.id, key())).rejects.toSatisfy(isRefused);
    expect(await processor().findCheckoutSession(session.id)).toMatchObject({ status: 'complete' });
  });

  it('has a page that is embedded, and shown by a secret', async () => {
    const { terms } = await sold(null);
    const lines = [...terms.items, ...terms.addedOnce];
    const wanted = { mode: 'subscription', customerId: terms.customerId, lines, metadata: {} } as const;
    const page = { page: 'embedded', successUrl: 'https://example.com/done?session={CHECKOUT_SESSION_ID}' } as const;
    const session = await processor().createCheckoutSession({ ...wanted, ...page }, key());
    expect(session).toMatchObject({ status: 'open', url: null, clientSecret: expect.stringContaining(session.id) });
    const cancelUrl = 'https://example.com/back';
    const hosted = await processor().createCheckoutSession({ ...wanted, ...page, page: 'hosted', cancelUrl }, key());
    expect(hosted).toMatchObject({ url: expect.stringMatching(/^http/), clientSecret: null });
  });

  paidIt('has a page of several lines in another currency of theirs, some billed once', async () => {
    const { customerId, plan, fee, terms } = await sold(null);
    for (const { id } of [plan, fee])
      await raw().prices.update(id, { currency_options: { eur: { unit_amount: 2_500 } } });
    const lines = [...terms.items, ...terms.addedOnce];
    const { session } = await openCheckout({ customerId, lines, currency: 'eur' });
    const { subscriptionId } = await pay(session);
    const subscription = await processor().findSubscription(subscriptionId ?? '');
    expect(subscription).toMatchObject({ currency: 'eur', items: [{ price: { id: plan.id }, quantity: 2 }] });
    const invoice = await firstInvoiceOf(customerId);
    expect(invoice).toMatchObject({ status: 'paid', currency: 'eur', total: 3 * 2_500 });
    expect(new Set(invoice.lines.map(({ priceId }) => priceId))).toEqual(new Set([plan.id, fee.id]));
  });

  paidIt('has a page that asks for no payment method in a trial, if it is asked for only when required', async () => {
    const trial: Partial<NewCheckoutSession> = { trialDays: 7, trialEndsWithoutMethod: 'cancel' };
    const { customer, session } = await openCheckout({ ...trial, paymentMethodCollection: 'if_required' });
    const { subscriptionId } = await pay(session);
    const { trial_settings: settings } = await raw().subscriptions.retrieve(subscriptionId ?? '');
    expect(settings?.end_behavior.missing_payment_method).toBe('cancel');
    const { customerDefault, ofSubscriptions } = await processor().findPaymentMethods(customer.id);
    expect([customerDefault, ofSubscriptions.size]).toEqual([null, 0]);
  });
}
