import { expectTypeOf, it } from 'vitest';
import { BillingClient, type Customer, type Price, type Subscription } from '../src/index.ts';

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
  // @ts-expect-error amounts are numbers
  expectTypeOf(billing.prices.create).toBeCallableWith({ ...product, unitAmount: '100', interval: 'month' });
  // @ts-expect-error no such field
  expectTypeOf(() => billing.customers.create({ email: text, phone: text })).toBeFunction();
  // @ts-expect-error no such status
  expectTypeOf(billing.invoices.list).toBeCallableWith({ status: 'paied' });
});
