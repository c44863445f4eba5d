import type { BillingEvent, Customer, Invoice, Payment, Referral, Subscription } from '@billing/client';
import type { Place } from '#layout/project-link.tsx';
import { formatItems } from '#ui/amount.ts';
import type { IconName } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';
import { methodText } from '#ui/payment-method.ts';
import { INVOICE_STATUS } from '#ui/statuses.tsx';
import {
  describeEntitlementChange,
  describePlanChanges,
  itemsAt,
  reasonOf,
  stateChanges,
  type StateChange,
  type Words,
} from './state-changes.ts';

export interface TimelineEntry {
  readonly at: string;
  readonly icon: IconName;
  readonly text: string;
  /** What else there is to say. */
  readonly note?: string | undefined;
  /** Where more about it stands. */
  readonly place?: Place | undefined;
  /** The payment, to be refunded. */
  readonly payment?: Payment;
  /** The open invoice of a failed payment, which waits for another try. */
  readonly unpaid?: Invoice | undefined;
}

interface History extends Words {
  readonly customer: Customer;
  /** How the customer was referred. */
  readonly referral: Referral | null;
  readonly subscriptions: readonly Subscription[];
  readonly invoices: readonly Invoice[];
  /** The newest first. */
  readonly payments: readonly Payment[];
  /** About the customer and the customer's state, the newest first. */
  readonly events: readonly BillingEvent[];
}

const MAX_ENTRIES = 50;
/** A change of plan at a renewal is known this much after the payment, at most. */
const SETTLES_MS = 10_000;

/** Stripe's times have no fraction. What happened in the same second stays in the order in which one follows from another. */
const secondOf = ({ at }: TimelineEntry): number => Math.floor(Date.parse(at) / 1_000);

/** Returns what happened with a customer, newest first, from their records and events. */
export function timelineOf(history: History): readonly TimelineEntry[] {
  const { customer, referral, subscriptions, invoices, payments, events } = history;
  const changes = stateChanges(events);
  const entry = (at: string | null | undefined, icon: IconName, text: string): TimelineEntry[] =>
    at ? [{ at, icon, text }] : [];
  return [
    ...entry(referral?.convertedAt, 'referrals', 'The referral converted'),
    ...changes.flatMap(change => entriesOfChange(change, history)),
    ...payments.map(payment => entryOfPayment(payment, history, changes)),
    ...invoices
      .filter(({ id, amountDue }) => amountDue > 0 && !payments.some(({ invoiceId }) => invoiceId === id))
      .map(entryOfInvoice),
    ...subscriptions.flatMap(subscription => entriesOfSubscription(subscription, history, changes)),
    ...entry(referral?.createdAt, 'referrals', `Referred with the code ${referral?.code}`),
    ...entry(customer.createdAt, 'customers', 'Became a customer'),
  ]
    .toSorted((a, b) => secondOf(b) - secondOf(a))
    .slice(0, MAX_ENTRIES);
}

const aboutSubscription = (
  { id }: Pick<Subscription, 'id'>,
  at: string | null,
  text: string,
  note?: string,
): TimelineEntry[] => (at ? [{ at, icon: 'subscriptions', text, note, place: { page: `subscriptions/${id}` } }] : []);

/** What the record of a subscription tells, of which events may be missing. */
function entriesOfSubscription(
  subscription: Subscription,
  { names }: Words,
  changes: readonly StateChange[],
): readonly TimelineEntry[] {
  const { startedAt, canceledAt, endedAt, cancelAt } = subscription;
  const name = names.ofItems(subscription.items);
  const first = itemsAt(subscription, Date.parse(startedAt), changes);
  return [
    ...aboutSubscription(subscription, endedAt, `Subscription to ${name} ended`),
    ...aboutSubscription(
      subscription,
      endedAt ? null : canceledAt,
      cancelAt ? `${name} canceled for the end of the period` : `${name} canceled`,
    ),
    ...aboutSubscription(subscription, startedAt, `Subscribed to ${names.ofItems(first)}: ${formatItems(first)}`),
  ];
}

/** Other plans, a cancellation that was taken back, and what the customer may use since then. */
function entriesOfChange(change: StateChange, words: Words): readonly TimelineEntry[] {
  const { at, before, after } = change;
  const rights = describeEntitlementChange(change, words);
  const plans = describePlanChanges(change, words);
  const resumed = after.subscriptions.filter(
    ({ id, cancelAtPeriodEnd }) =>
      !cancelAtPeriodEnd && before.subscriptions.some(it => it.id === id && it.cancelAtPeriodEnd),
  );
  const reason = reasonOf(change, words);
  return [
    ...plans.flatMap(({ subscription, text }, index) =>
      aboutSubscription(subscription, at, text, index === 0 ? rights : undefined),
    ),
    ...resumed.flatMap(subscription =>
      aboutSubscription(subscription, at, `${words.names.ofItems(subscription.items)} resumed`),
    ),
    ...(rights && plans.length === 0
      ? [{ at, icon: 'features', text: reason ? `${rights}: ${reason}` : rights } as const]
      : []),
  ];
}

const entryOfInvoice = ({ id, createdAt, number, amountDue, currency, status }: Invoice): TimelineEntry => ({
  at: createdAt,
  icon: 'invoices',
  text: `Invoice ${number ?? ''} of ${formatMoney(amountDue, currency)}: ${INVOICE_STATUS[status].name.toLowerCase()}`,
  place: { page: `invoices/${id}` },
});

function entryOfPayment(payment: Payment, history: History, changes: readonly StateChange[]): TimelineEntry {
  const invoice = history.invoices.find(({ id }) => id === payment.invoiceId);
  const what = purposeOf(payment, invoice, history, changes);
  const newest = history.payments.find(({ invoiceId }) => invoiceId === payment.invoiceId);
  return {
    at: payment.createdAt,
    icon: 'payments',
    text: paymentText(payment, what && ` for ${what}`),
    note: [methodText(payment.paymentMethod), invoice?.number && `invoice ${invoice.number}`]
      .filter(Boolean)
      .join(' · '),
    place: { page: `payments/${payment.id}` },
    payment,
    unpaid: payment.status === 'failed' && newest === payment && invoice?.status === 'open' ? invoice : undefined,
  };
}

/** Returns what a payment is for: the product as it was then, where events reach that far back. */
function purposeOf(
  { createdAt }: Payment,
  invoice: Invoice | undefined,
  { subscriptions, events, names }: History,
  changes: readonly StateChange[],
): string {
  if (!invoice) return '';
  if (invoice.billingReason === 'subscription_update') return 'a change of plan';
  const subscription = subscriptions.find(({ id }) => id === invoice.subscriptionId);
  const oldest = events.at(-1)?.timestamp;
  const at = Date.parse(createdAt) + (invoice.billingReason === 'subscription_create' ? 0 : SETTLES_MS);
  if (!subscription || oldest === undefined || at < Date.parse(oldest) - SETTLES_MS) return '';
  return names.ofItems(itemsAt(subscription, at, changes));
}

/** What became of a payment, after what it was. */
const OUTCOMES: Readonly<Record<Exclude<Payment['status'], 'partially_refunded'>, string>> = {
  failed: ' failed',
  requires_capture: ' authorized, but not captured',
  canceled: ' authorized, then canceled',
  succeeded: '',
  refunded: '; all of it refunded',
  inquiry: '; the bank asks about it',
  disputed: '; the customer disputes it',
  dispute_lost: '; lost in a dispute',
};
const TOOK_NOTHING: readonly Payment['status'][] = ['failed', 'requires_capture', 'canceled'];

function paymentText({ status, amount, amountRefunded, currency, failureMessage }: Payment, what: string): string {
  const paid = formatMoney(amount, currency);
  const outcome =
    status === 'partially_refunded' ? `; ${formatMoney(amountRefunded, currency)} refunded` : OUTCOMES[status];
  const why = status === 'failed' && failureMessage ? `: ${failureMessage}` : '';
  return `${TOOK_NOTHING.includes(status) ? 'Payment of' : 'Paid'} ${paid}${what}${outcome}${why}`;
}
