import type { Stripe } from 'stripe';
import { isRefused } from '../errors.ts';
import type { Processor } from '../port.ts';
import type { NewSubscription, Selling, SubscriptionTerms } from '../selling.ts';
import { readCheckoutSession } from '../snapshots/checkout-session.ts';
import { readInvoicePreview } from '../snapshots/invoice-preview.ts';
import { given, idOf, inSeconds, write, type Calls } from './calls.ts';
import { pricedLine, trialSettings } from './checkout.ts';
import { findCreated } from './find-created.ts';
import { amountTerms } from './invoicing.ts';
import { wholePreview, WHOLE_SUBSCRIPTION } from './nested-lists.ts';
import type { CompletingReads } from './pending-payment.ts';
import { wholeSubscriptions } from './whole-subscriptions.ts';

const DAY_MS = 86_400_000;

/** Subscriptions without a page; `reads` finds what Stripe's subscriptions lack, and the time. */
export function sellingCalls(calls: Calls, reads: CompletingReads & Pick<Processor, 'readClock'>): Selling {
  const { stripe, call } = calls;
  const subscriptionFrom = wholeSubscriptions(calls, reads);
  /** A preview takes no number of days. */
  const trialEndOf = async ({ customerId, trialDays }: SubscriptionTerms) => {
    if (trialDays === undefined) return undefined;
    const customer = await call(() => stripe.customers.retrieve(customerId));
    const now = await reads.readClock(customer.deleted ? null : idOf(customer.test_clock ?? null));
    return inSeconds(new Date((now?.getTime() ?? Date.now()) + trialDays * DAY_MS));
  };

  return {
    previewNewSubscription: async terms => {
      const { customerId: customer, currency, items, addedOnce } = terms;
      const trialEnd = await trialEndOf(terms);
      const params: Stripe.InvoiceCreatePreviewParams = {
        customer,
        currency,
        ...amountTerms(terms),
        subscription_details: { items: items.map(pricedLine), ...given({ trial_end: trialEnd }) },
        ...(addedOnce.length > 0 && { invoice_items: addedOnce.map(pricedLine) }),
      };
      return call(async () =>
        readInvoicePreview(await wholePreview(stripe, await stripe.invoices.createPreview(params))),
      );
    },
    createSubscription: (subscription, key) =>
      subscriptionFrom(() => stripe.subscriptions.create(subscriptionParams(subscription), write(key))),
    findCreatedSubscription: async (customer, created) => {
      const found = await findCreated(created, page =>
        call(() => stripe.subscriptions.list({ customer, status: 'all', ...page })),
      );
      return found && subscriptionFrom(() => stripe.subscriptions.retrieve(found.id, WHOLE_SUBSCRIPTION));
    },
    expireCheckoutSession: (id, key) =>
      call(async () => readCheckoutSession(await stripe.checkout.sessions.expire(id, {}, write(key)))).catch(
        async (error: unknown) => {
          if (!isRefused(error)) throw error;
          const session = await call(async () => readCheckoutSession(await stripe.checkout.sessions.retrieve(id)));
          if (session.status !== 'expired') throw error;
          return session;
        },
      ),
  };
}

function subscriptionParams(subscription: NewSubscription): Stripe.SubscriptionCreateParams {
  const { customerId, items, addedOnce, currency, trialDays, daysUntilDue, paymentMethodId, metadata } = subscription;
  const collection =
    daysUntilDue === undefined
      ? ({
          collection_method: 'charge_automatically',
          payment_behavior: 'error_if_incomplete',
          off_session: true,
        } as const)
      : ({ collection_method: 'send_invoice', days_until_due: daysUntilDue } as const);
  return {
    customer: customerId,
    items: items.map(pricedLine),
    ...(addedOnce.length > 0 && { add_invoice_items: addedOnce.map(pricedLine) }),
    currency,
    ...amountTerms(subscription),
    ...given({ trial_period_days: trialDays, default_payment_method: paymentMethodId }),
    ...trialSettings(subscription),
    ...collection,
    metadata: { ...metadata },
    ...WHOLE_SUBSCRIPTION,
  };
}
