import type { Customer, Invoice, Payment, Referral, Subscription } from '@billing/client';
import { formatItems } from '#ui/amount.ts';
import type { IconName } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';

export interface TimelineEntry {
  readonly at: string;
  readonly icon: IconName;
  readonly text: string;
}

interface History {
  readonly customer: Customer;
  /** How the customer was referred. */
  readonly referral: Referral | null;
  readonly subscriptions: readonly Subscription[];
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
}

const MAX_ENTRIES = 50;

/** Stripe's times have no fraction. What happened in the same second stays in the order in which one follows from another. */
const secondOf = ({ at }: TimelineEntry): number => Math.floor(Date.parse(at) / 1_000);

/** Tells what happened with a customer, newest first, from their records. */
export function timelineOf({
  customer,
  referral,
  subscriptions,
  invoices,
  payments,
}: History): readonly TimelineEntry[] {
  const entry = (at: string | null, icon: IconName, text: string): TimelineEntry[] => (at ? [{ at, icon, text }] : []);
  return [
    ...entry(referral?.convertedAt ?? null, 'referrals', 'The referral converted'),
    ...payments.flatMap(({ createdAt, amount, currency, status, failureMessage }) =>
      entry(createdAt, 'payments', paymentText(formatMoney(amount, currency), status, failureMessage)),
    ),
    ...invoices.flatMap(({ createdAt, number, amountDue, currency }) =>
      entry(createdAt, 'invoices', `Invoice ${number ?? ''} of ${formatMoney(amountDue, currency)}`),
    ),
    ...subscriptions.flatMap(({ items, startedAt, canceledAt, endedAt, cancelAt }) => [
      ...entry(endedAt, 'subscriptions', 'Subscription ended'),
      ...entry(
        endedAt ? null : canceledAt,
        'subscriptions',
        cancelAt ? 'Canceled for the end of the period' : 'Canceled',
      ),
      ...entry(startedAt, 'subscriptions', `Subscribed: ${formatItems(items)}`),
    ]),
    ...entry(referral?.createdAt ?? null, 'referrals', `Referred with the code ${referral?.code}`),
    ...entry(customer.createdAt, 'customers', 'Became a customer'),
  ]
    .toSorted((a, b) => secondOf(b) - secondOf(a))
    .slice(0, MAX_ENTRIES);
}

function paymentText(amount: string, status: Payment['status'], failure: string | null): string {
  if (status === 'failed') return `Payment of ${amount} failed${failure ? `: ${failure}` : ''}`;
  if (status === 'succeeded') return `Paid ${amount}`;
  return `Paid ${amount}, then ${status.replaceAll('_', ' ')}`;
}
