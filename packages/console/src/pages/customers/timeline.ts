import type { Customer, Invoice, Payment, Referral, Subscription } from '@billing/client';
import type { ProjectPage } from '#layout/project-link.tsx';
import { formatItems } from '#ui/amount.ts';
import type { IconName } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';

export interface TimelineEntry {
  readonly at: string;
  readonly icon: IconName;
  readonly text: string;
  /** Where more about it stands. */
  readonly page?: ProjectPage;
}

interface History {
  readonly customer: Customer;
  /** How the customer was referred. */
  readonly referral: Referral | null;
  readonly subscriptions: readonly Subscription[];
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  /** Names what a subscription is to. */
  readonly nameItems: (items: Subscription['items']) => string;
}

const MAX_ENTRIES = 50;

/** Stripe's times have no fraction. What happened in the same second stays in the order in which one follows from another. */
const secondOf = ({ at }: TimelineEntry): number => Math.floor(Date.parse(at) / 1_000);

/** Returns what happened with a customer, newest first, from their records. */
export function timelineOf({
  customer,
  referral,
  subscriptions,
  invoices,
  payments,
  nameItems,
}: History): readonly TimelineEntry[] {
  const entry = (at: string | null, icon: IconName, text: string): TimelineEntry[] => (at ? [{ at, icon, text }] : []);
  const about = ({ id }: Subscription, at: string | null, text: string): TimelineEntry[] =>
    entry(at, 'subscriptions', text).map(shown => ({ ...shown, page: `subscriptions/${id}` }));
  return [
    ...entry(referral?.convertedAt ?? null, 'referrals', 'The referral converted'),
    ...payments.flatMap(({ createdAt, amount, currency, status, failureMessage }) =>
      entry(createdAt, 'payments', paymentText(formatMoney(amount, currency), status, failureMessage)),
    ),
    ...invoices.flatMap(({ createdAt, number, amountDue, currency }) =>
      entry(createdAt, 'invoices', `Invoice ${number ?? ''} of ${formatMoney(amountDue, currency)}`),
    ),
    ...subscriptions.flatMap(subscription => {
      const { items, startedAt, canceledAt, endedAt, cancelAt } = subscription;
      const name = nameItems(items);
      return [
        ...about(subscription, endedAt, `Subscription to ${name} ended`),
        ...about(
          subscription,
          endedAt ? null : canceledAt,
          cancelAt ? `${name} canceled for the end of the period` : `${name} canceled`,
        ),
        ...about(subscription, startedAt, `Subscribed to ${name}: ${formatItems(items)}`),
      ];
    }),
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
