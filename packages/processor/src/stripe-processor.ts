import type { Processor } from './port.ts';
import { accountCalls } from './stripe/account.ts';
import { openCalls } from './stripe/calls.ts';
import { catalogCalls } from './stripe/catalog.ts';
import { checkoutCalls } from './stripe/checkout.ts';
import { customerCalls } from './stripe/customers.ts';
import { discountCalls } from './stripe/discounts.ts';
import type { OnCall } from './stripe-client.ts';
import { invoiceCalls } from './stripe/invoices.ts';
import { invoicingCalls } from './stripe/invoicing.ts';
import { listedObjectCalls } from './stripe/listed-objects.ts';
import { planChangeCalls } from './stripe/plan-changes.ts';
import { refundCalls } from './stripe/refunds.ts';
import { sellingCalls } from './stripe/selling.ts';
import { subscriptionCalls } from './stripe/subscriptions.ts';
import { testClockCalls } from './stripe/test-clocks.ts';
import { usageCalls } from './stripe/usage.ts';

/** https://docs.stripe.com/keys#obtain-api-keys */
const IS_LIVE = /^(sk|rk)_live_/;

/** Implements the port with Stripe's library. `baseUrl` replaces Stripe's address. */
export function stripeProcessor(secretKey: string, baseUrl?: string, onCall?: OnCall): Processor {
  const calls = openCalls(secretKey, baseUrl, onCall);
  const usage = usageCalls(calls);
  const catalog = catalogCalls(calls, usage);
  const discounts = discountCalls(calls);
  const planChanges = planChangeCalls(calls, { findPrice: catalog.findPrice, ...discounts });
  const account = accountCalls(calls);
  const reads = { ...catalog, ...planChanges, ...discounts };
  return {
    ...account,
    ...catalog,
    ...customerCalls(calls),
    ...listedObjectCalls(calls),
    ...checkoutCalls(calls),
    ...subscriptionCalls(calls, reads),
    ...sellingCalls(calls, { ...reads, ...account }),
    ...invoiceCalls(calls),
    ...invoicingCalls(calls),
    ...refundCalls(calls),
    ...discounts,
    ...planChanges,
    ...testClockCalls(calls, { isLive: IS_LIVE.test(secretKey) }),
    ...usage,
  };
}
