import { expectTypeOf, it } from 'vitest';
import type { EventObjectType } from '@billing/contracts/event-types';
import type { EVENT_DATA } from '@billing/contracts/resources/event-data';
import type { z } from 'zod';
import {
  BillingClient,
  type BillingError,
  type BillingEvent,
  type Customer,
  type Invoice,
  type Price,
  type ReceivedEvent,
  type Subscription,
} from '../src/index.ts';

// The compiler checks these tests; nothing is called.
const billing = new BillingClient({ baseUrl: 'http://billing.example', apiKey: 'k', teamId: 't', projectId: 'p' });
const text: string = JSON.stringify('any');

it('types the responses', () => {
  expectTypeOf(billing.products.get).returns.resolves.toHaveProperty('isActive').toEqualTypeOf<boolean>();
  expectTypeOf<Customer['id']>().toEqualTypeOf<`pc_${string}`>();
  expectTypeOf<Customer['createdAt']>().toEqualTypeOf<string>();
  expectTypeOf<Price['interval']>().toEqualTypeOf<'day' | 'week' | 'month' | 'year' | undefined>();
  expectTypeOf<Subscription['status']>().extract<'past_due'>().toEqualTypeOf<'past_due'>();
  expectTypeOf(billing.subscriptions.list).returns.toExtend<AsyncIterable<Subscription>>();
});

it('accepts ids as plain strings', () => {
  expectTypeOf(billing.checkout.create).toBeCallableWith({
    customerId: text,
    priceId: text,
    successUrl: text,
    cancelUrl: text,
  });
  expectTypeOf(billing.subscriptions.list).toBeCallableWith({ customerId: text, activeOnly: false, limit: 10 });
  expectTypeOf(billing.payments.list).toBeCallableWith({
    invoiceId: text,
    createdAfter: text,
    createdBefore: new Date(),
  });
  expectTypeOf(billing.analytics.get).toBeCallableWith({ growthDays: 7 }, { timeoutMs: 1_000 });
  expectTypeOf(billing.analytics.history).toBeCallableWith({ days: 7 });
});

it('rejects requests that the service would reject', () => {
  const product = { productId: text, unitAmount: 100, currency: 'usd' };
  const checkout = { customerId: text, priceId: text, successUrl: text, cancelUrl: text };
  expectTypeOf(billing.prices.create).toBeCallableWith({ ...product, type: 'one_time' });
  // @ts-expect-error a recurring price needs an interval
  expectTypeOf(billing.prices.create).toBeCallableWith(product);
  // @ts-expect-error a one-time price has none
  expectTypeOf(billing.prices.create).toBeCallableWith({ ...product, type: 'one_time', interval: 'month' });
  // @ts-expect-error a trial belongs to a subscription
  expectTypeOf(billing.checkout.create).toBeCallableWith({ ...checkout, mode: 'payment', trialDays: 7 });
  const coupon = { name: text, duration: 'forever' } as const;
  expectTypeOf(billing.coupons.create).toBeCallableWith({ ...coupon, percentOff: 20, productIds: [text] });
  // @ts-expect-error an amount needs a currency
  expectTypeOf(billing.coupons.create).toBeCallableWith({ ...coupon, amountOff: 500 });
  // @ts-expect-error a coupon takes off one of both
  expectTypeOf(billing.coupons.create).toBeCallableWith({ ...coupon, percentOff: 20, amountOff: 500, currency: 'usd' });
  // @ts-expect-error it needs to know how many months
  expectTypeOf(billing.coupons.create).toBeCallableWith({ ...coupon, percentOff: 20, duration: 'repeating' });
  expectTypeOf(billing.promotionCodes.create).toBeCallableWith({
    couponId: text,
    customerId: text,
    expiresAt: new Date(),
  });
  expectTypeOf(billing.subscriptions.change).toBeCallableWith(text, { priceId: text, prorationDate: text });
  expectTypeOf(billing.subscriptions.change).toBeCallableWith(text, {
    items: [{ priceId: text }],
    promotionCode: null,
  });
  expectTypeOf(billing.portalConfig.set).toBeCallableWith({
    planSwitch: { enabled: true, priceIds: [text] },
    cancellation: { saveOffer: { promotionCodeId: text } },
  });
  // @ts-expect-error no such language
  expectTypeOf(billing.portalConfig.set).toBeCallableWith({ defaultLanguage: 'tlh' });
  expectTypeOf(billing.subscriptions.cancelNow).toBeCallableWith(text, { reason: 'unused', comment: text });
  // @ts-expect-error all items, or the price and the quantity of the only one
  expectTypeOf(billing.subscriptions.change).toBeCallableWith(text, { items: [{ priceId: text }], quantity: 3 });
  // @ts-expect-error amounts are numbers
  expectTypeOf(billing.prices.create).toBeCallableWith({ ...product, unitAmount: '100', interval: 'month' });
  // @ts-expect-error no such field
  expectTypeOf(() => billing.customers.create({ email: text, phone: text })).toBeFunction();
  // @ts-expect-error no such status
  expectTypeOf(billing.invoices.list).toBeCallableWith({ status: 'paied' });
});

it('types the details of errors by their code', () => {
  const read = (error: BillingError) => {
    if (error.is('amount_changed')) expectTypeOf(error.details.actual).toEqualTypeOf<number>();
    if (error.is('payment_failed')) expectTypeOf(error.details.declineCode).toEqualTypeOf<string | null>();
    // @ts-expect-error no such code
    return error.is('amount_chnaged');
  };
  expectTypeOf(read).toBeFunction();
});

it('types the data of events by their type', () => {
  const read = (event: ReceivedEvent) => {
    if (event.type === 'ping') return expectTypeOf(event.test).toEqualTypeOf<true>();
    if (event.truncated) return expectTypeOf(event.data).toEqualTypeOf<undefined>();
    if (event.type === 'invoice.paid') {
      expectTypeOf(event.data).toEqualTypeOf<Omit<Invoice, 'customerTaxIds' | 'purchaseOrder'>>();
      expectTypeOf(event.previousAttributes?.amountPaid).toEqualTypeOf<number | null | undefined>();
    }
    return event.type satisfies BillingEvent['type'];
  };
  expectTypeOf(read).toBeFunction();
  expectTypeOf<BillingEvent['object']['type']>().toEqualTypeOf<EventObjectType>();
  type DataOf<Type extends EventObjectType> = NonNullable<Extract<BillingEvent, { object: { type: Type } }>['data']>;
  expectTypeOf<{ [Type in EventObjectType]: DataOf<Type> }>().toEqualTypeOf<{
    [Type in EventObjectType]: z.input<(typeof EVENT_DATA)[Type]>;
  }>();
  expectTypeOf(billing.events.list).returns.toExtend<AsyncIterable<BillingEvent>>();
  // @ts-expect-error no such type
  expectTypeOf(billing.events.follow).toBeCallableWith({ types: ['invoice.paied'] });
  expectTypeOf(billing.webhookEndpoints.create).toBeCallableWith({
    url: text,
    eventTypes: ['invoice.*', 'customer.created'],
  });
});
