import type { PendingReason } from '@billing/contracts/problem-details';
import { CANCELLATION_REASONS, type Cancellation } from '@billing/contracts/resources/cancellation';
import {
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  type SubscriptionTax,
} from '@billing/contracts/resources/subscription';
import { parseSchedule, type ScheduleSnapshot } from './schedule.ts';
import { parsePrice, type PriceAmount, type PriceSnapshot } from './catalog.ts';
import { customerDiscount, discountIn, type DiscountSnapshot } from './discounts.ts';
import { lacksDiscounts, mapDiscounts } from './subscription-discounts.ts';
import { parseObject, type Fields } from './fields.ts';
import { readTax } from './tax.ts';
import { flag, knownWordOf, listOf, number, reference, shortText, text, unixTime } from './values.ts';

/** One item of a subscription: a price and a quantity. */
export interface SubscriptionItemSnapshot {
  readonly id: string;
  readonly price: PriceSnapshot;
  readonly quantity: number;
  /** What the price costs in the subscription's currency; null when the object does not contain that (`withAmounts`). */
  readonly amount: PriceAmount | null;
  /** What is taken off this item alone, before the discounts of the subscription. */
  readonly discounts: readonly DiscountSnapshot[];
}

/** A pause of payments; the subscription keeps its status. https://docs.stripe.com/billing/subscriptions/pause-payment */
export interface PauseCollection {
  /** What happens to invoices meanwhile: `keep_as_draft`, `mark_uncollectible` or `void`. */
  readonly behavior: string;
  /** Null until someone resumes it. */
  readonly resumesAt: Date | null;
}

/** What has to be paid before a change applies. */
export interface PendingPayment {
  readonly amountDue: number;
  readonly reason: PendingReason;
  /** Where the customer pays it. */
  readonly hostedInvoiceUrl: string | null;
}

/** A change that applies once its invoice is paid. https://docs.stripe.com/billing/subscriptions/pending-updates */
export interface PendingUpdateSnapshot {
  readonly expiresAt: Date;
  readonly items: readonly { readonly id: string; readonly priceId: string | null; readonly quantity: number | null }[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Of the latest invoice; null because the object does not contain it (`withPayment`). */
  readonly payment: PendingPayment | null;
}

/** A subscription of the processor. */
export interface SubscriptionSnapshot {
  readonly id: string;
  readonly customerId: string;
  /** Null for a status that is newer than this service. */
  readonly status: SubscriptionStatus | null;
  /** Whether it is set to end, at the period's end or at a set time. */
  readonly cancelAtPeriodEnd: boolean;
  /** When it is set to end; null when it is not. */
  readonly cancelAt: Date | null;
  /** When the cancellation was requested; `endedAt` is when it took effect. */
  readonly canceledAt: Date | null;
  /** Why the customer canceled, also before a cancellation that was taken back. */
  readonly cancellation: Cancellation | null;
  /** Whether it ended though nobody requested that: a payment failed or was disputed. False where the object does not say. */
  readonly involuntary: boolean;
  readonly pauseCollection: PauseCollection | null;
  readonly tax: SubscriptionTax;
  /** What it is billed in, which may be another currency than the default one of its prices; null without items. */
  readonly currency: string | null;
  readonly items: readonly SubscriptionItemSnapshot[];
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly startedAt: Date;
  readonly trialEnd: Date | null;
  /** When it ended. */
  readonly endedAt: Date | null;
  readonly defaultPaymentMethodId: string | null;
  /** How an amount is collected: `charge_automatically` or `send_invoice`. */
  readonly collectionMethod: string | null;
  readonly latestInvoiceId: string | null;
  /** A change that waits for the payment of the latest invoice. */
  readonly pendingUpdate: PendingUpdateSnapshot | null;
  /** Its own, of all its items together. Without any it is billed with the discount of its customer. */
  readonly discounts: readonly DiscountSnapshot[];
  /** Null for a customer without one; undefined when the object does not contain the customer. */
  readonly customerDiscount: DiscountSnapshot | null | undefined;
  /** The schedule that manages it: only that can schedule its end. */
  readonly scheduleId: string | null;
  /** The clock that it lives on in tests; null when it lives in real time. */
  readonly testClockId: string | null;
  /** Null without one; undefined when the object contains no more than its id (`withSchedule`). */
  readonly schedule: ScheduleSnapshot | null | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const status = knownWordOf(SUBSCRIPTION_STATUSES);
const feedback = knownWordOf(CANCELLATION_REASONS);

/**
 * Parses a subscription of any API version: periods are on the subscription before 2025-03-31 and on its items since. https://docs.stripe.com/changelog/basil/2025-03-31/deprecate-subscription-current-period-start-and-end
 */
export const readSubscription = (raw: unknown): SubscriptionSnapshot =>
  parseObject(raw, subscription => {
    const items = subscription.list('items', item => ({
      id: item.required('id', shortText),
      price: item.object('price', parsePrice),
      quantity: item.optional('quantity', number) ?? 1,
      periodStart: item.optional('current_period_start', unixTime),
      periodEnd: item.optional('current_period_end', unixTime),
      discountsIn: (of: string | null) => item.optional('discounts', listOf(discountIn(of))) ?? [],
    }));
    const currency = subscription.optional('currency', shortText) ?? items[0]?.price.currency ?? null;
    const startedAt = subscription.required('start_date', unixTime);
    const currentPeriodEnd =
      subscription.optional('current_period_end', unixTime) ?? earliest(items.map(it => it.periodEnd)) ?? startedAt;
    const cause = subscription.optionalObject('cancellation_details', it => it.optional('reason', shortText));
    const cancelAt = subscription.optional('cancel_at', unixTime);
    const endsWithPeriod = subscription.required('cancel_at_period_end', flag);
    return {
      id: subscription.required('id', shortText),
      customerId: subscription.required('customer', reference),
      status: subscription.required('status', status),
      cancelAtPeriodEnd: endsWithPeriod || cancelAt !== null,
      cancelAt: cancelAt ?? (endsWithPeriod ? currentPeriodEnd : null),
      canceledAt: subscription.optional('canceled_at', unixTime),
      cancellation: subscription.optionalObject('cancellation_details', it => ({
        reason: it.optional('feedback', feedback),
        comment: it.optional('comment', text),
      })),
      involuntary: cause !== null && cause !== 'cancellation_requested',
      tax: readTax(subscription),
      pauseCollection: subscription.optionalObject('pause_collection', it => ({
        behavior: it.required('behavior', shortText),
        resumesAt: it.optional('resumes_at', unixTime),
      })),
      currency,
      items: items.map(({ id, price, quantity, discountsIn }) => ({
        id,
        price,
        quantity,
        amount: amountIn(currency, price),
        discounts: discountsIn(currency),
      })),
      currentPeriodStart:
        subscription.optional('current_period_start', unixTime) ??
        earliest(items.map(it => it.periodStart)) ??
        startedAt,
      currentPeriodEnd,
      startedAt,
      trialEnd: subscription.optional('trial_end', unixTime),
      endedAt: subscription.optional('ended_at', unixTime),
      defaultPaymentMethodId: subscription.optional('default_payment_method', reference),
      collectionMethod: subscription.optional('collection_method', shortText),
      latestInvoiceId: subscription.optional('latest_invoice', reference),
      pendingUpdate: subscription.optionalObject('pending_update', update => ({
        expiresAt: update.required('expires_at', unixTime),
        items: update.array('subscription_items', item => ({
          id: item.required('id', shortText),
          priceId: item.optional('price', reference) ?? item.optional('plan', reference),
          quantity: item.optional('quantity', number),
        })),
        metadata: update.metadata(),
        payment: null,
      })),
      discounts: discountsOf(subscription, currency),
      customerDiscount: subscription.expanded('customer', customer => customerDiscount(customer, currency)),
      scheduleId: subscription.optional('schedule', reference),
      testClockId: subscription.optional('test_clock', reference),
      schedule: subscription.expanded('schedule', parseSchedule),
      metadata: subscription.metadata(),
      createdAt: subscription.required('created', unixTime),
    };
  });

/** A subscription has `discount` before 2024, and `discounts` since. */
function discountsOf(subscription: Fields, currency: string | null): readonly DiscountSnapshot[] {
  const listed = subscription.optional('discounts', listOf(discountIn(currency)));
  if (listed) return listed;
  const only = subscription.optional('discount', discountIn(currency));
  return only ? [only] : [];
}

const NO_AMOUNT: PriceAmount = { unitAmount: null, unitAmountDecimal: null };

/** Returns what a price costs in a currency; null when the price does not say it. A tiered price has no single amount. */
export function amountIn(currency: string | null, price: PriceSnapshot): PriceAmount | null {
  if (price.billingScheme === 'tiered') return NO_AMOUNT;
  const { unitAmount, unitAmountDecimal, currencyOptions } = price;
  if (price.currency === currency) return { unitAmount, unitAmountDecimal };
  return currencyOptions && ((currency && currencyOptions.get(currency)) || NO_AMOUNT);
}

/** Returns the subscription with the amounts that `find` knows of the items that lack theirs. */
export function withAmounts(
  snapshot: SubscriptionSnapshot,
  find: (item: SubscriptionItemSnapshot) => PriceAmount | null | undefined,
): SubscriptionSnapshot {
  if (!lacksAmounts(snapshot)) return snapshot;
  return { ...snapshot, items: snapshot.items.map(item => ({ ...item, amount: item.amount ?? find(item) ?? null })) };
}

/** Returns whether an amount of the subscription has to be read at the processor. */
export const lacksAmounts = ({ items }: SubscriptionSnapshot): boolean => items.some(({ amount }) => amount === null);

/** Returns the subscription with what has to be paid for its pending change, if that is known. */
export function withPayment(snapshot: SubscriptionSnapshot, payment: PendingPayment | null): SubscriptionSnapshot {
  const { pendingUpdate } = snapshot;
  return pendingUpdate && payment ? { ...snapshot, pendingUpdate: { ...pendingUpdate, payment } } : snapshot;
}

/** Returns whether the invoice of the pending change has to be read at the processor. */
export const lacksPayment = ({ pendingUpdate }: SubscriptionSnapshot): boolean => pendingUpdate?.payment === null;

/**
 * Parses a subscription in an event or a list. Of its discounts only the ids count: such an object does not contain all that
 * they are.
 */
export function readListedSubscription(raw: unknown): SubscriptionSnapshot {
  return mapDiscounts(readSubscription(raw), ({ id }) => ({ id, detail: null }));
}

/** Returns whether the processor has to be read for what the object does not contain. */
export const isIncomplete = (snapshot: SubscriptionSnapshot): boolean =>
  lacksAmounts(snapshot) || lacksPayment(snapshot) || lacksDiscounts(snapshot);

/** Returns whether the schedule of the subscription has to be read at the processor. */
export const lacksSchedule = ({ schedule }: SubscriptionSnapshot): boolean => schedule === undefined;

/** Returns the subscription with its schedule; null when the processor does not have that any more. */
export function withSchedule(snapshot: SubscriptionSnapshot, schedule: ScheduleSnapshot | null): SubscriptionSnapshot {
  return { ...snapshot, schedule, scheduleId: schedule?.id ?? null };
}

function earliest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((first, date) => (first === null || (date !== null && date < first) ? date : first), null);
}
