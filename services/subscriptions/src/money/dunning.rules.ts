import { DUNNING_STATUSES, type DunningCase, type DunningStatus } from '@billing/contracts/resources/dunning';
import { INVOICE_STATUSES, type InvoiceStatus } from '@billing/contracts/resources/invoice';
import type { InvoiceContent } from './invoice.rules.ts';
import type { PaymentObstacle } from '@billing/processor/snapshots/payments';
import { failuresIn, type PaymentObservations } from './payment.rules.ts';

/**
 * Returns whether an invoice shows that a payment of it failed: only automatic attempts are counted beyond the first one, and
 * only after a failure is there a next one. An open invoice that was tried once may have a payment on its way.
 * https://docs.stripe.com/api/invoices/object#invoice_object-attempt_count
 */
export const showsFailure = ({
  status,
  attempts,
  nextAttemptAt,
}: Pick<InvoiceContent, 'attempts' | 'nextAttemptAt'> & { readonly status: InvoiceStatus | null }): boolean =>
  attempts > 1 || (status === 'open' && attempts > 0 && nextAttemptAt !== null);

/** What decides how a case stands. */
export interface DunningState {
  readonly invoiceStatus: InvoiceStatus;
  /** Whether the subscription has ended. */
  readonly hasEnded: boolean;
}

/** Returns how a case stands: what is paid is recovered, even after it was given up. */
export function dunningStatusOf({ invoiceStatus, hasEnded }: DunningState): DunningStatus {
  if (invoiceStatus === 'paid') return 'recovered';
  return invoiceStatus === 'void' || invoiceStatus === 'uncollectible' || hasEnded ? 'lost' : 'recovering';
}

/** Returns what is to be paid, or was: the part that customers have paid does not fail any more. */
export const amountOf = ({
  status,
  amountDue,
  amountPaid,
}: Pick<InvoiceContent, 'status' | 'amountDue' | 'amountPaid'>): number =>
  status === 'paid' ? amountDue : amountDue - amountPaid;

const ALL_STATES: readonly DunningState[] = INVOICE_STATUSES.flatMap(invoiceStatus =>
  [false, true].map(hasEnded => ({ invoiceStatus, hasEnded })),
);

/** The states of the cases with each status. */
export const statesWith = (status: DunningStatus): readonly DunningState[] =>
  ALL_STATES.filter(state => dunningStatusOf(state) === status);

/** An invoice of which a payment failed. */
interface FailedInvoice extends Pick<InvoiceContent, 'status' | 'paidAt' | 'givenUpAt'> {
  readonly finalizedAt: Date;
}

/** Returns how a case stands, and when it was paid or lost. What was billed after the end of its subscription is lost at once. */
export function endOf(
  { status: invoiceStatus, paidAt, givenUpAt, finalizedAt }: FailedInvoice,
  { hasEnded, subscriptionEndedAt }: { readonly hasEnded: boolean; readonly subscriptionEndedAt: Date | null },
): Pick<DunningCase, 'status' | 'endedAt'> {
  const status = dunningStatusOf({ invoiceStatus, hasEnded });
  if (status === 'recovering') return { status, endedAt: null };
  if (status === 'recovered') return { status, endedAt: paidAt };
  const ends = [givenUpAt, hasEnded ? subscriptionEndedAt : null].flatMap(end => end?.getTime() ?? []);
  return { status, endedAt: ends.length > 0 ? new Date(Math.max(finalizedAt.getTime(), Math.min(...ends))) : null };
}

/** What is said of a payment that was kept from being paid. */
const OBSTACLES: Readonly<Record<PaymentObstacle, string>> = {
  authentication_required: 'The bank wants the customer to confirm the payment.',
  payment_method_missing: 'The customer has no payment method.',
};

/** Returns why the newest payment that failed did; nulls where no payment is recorded that did. */
export function newestFailureOf(payments: readonly PaymentObservations[]): DunningCase['lastFailure'] {
  const charges = payments.flatMap(failuresIn);
  // A payment intent that failed without a charge is known until it succeeds.
  const intents = payments.flatMap(({ intent }) => (intent?.state === 'failed' ? [intent] : []));
  const charge = charges.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).at(-1);
  const newest = charge ?? intents.toSorted((a, b) => a.at - b.at).at(-1);
  const obstacle = payments
    .flatMap(it => it.obstacle ?? [])
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
  // A sync may have read the charge later than it was made.
  if (obstacle && obstacle.at > (charge?.createdAt ?? newest?.at ?? 0))
    return { code: obstacle.code, message: OBSTACLES[obstacle.code] };
  return { code: newest?.failureCode ?? null, message: newest?.failureMessage ?? null };
}

export type DunningTotals = Record<string, Record<DunningStatus, number>>;

/** Returns what the cases of each status amount to, by currency; of at most what JSON represents exactly. */
export function totalsOf(
  sums: readonly (DunningState & { readonly currency: string; readonly amount: bigint })[],
): DunningTotals {
  const byCurrency = Map.groupBy(sums, ({ currency }) => currency);
  const totalOf = (ofCurrency: typeof sums, status: DunningStatus) => {
    const ofStatus = ofCurrency.filter(state => dunningStatusOf(state) === status);
    const total = ofStatus.reduce((sum, { amount }) => sum + amount, 0n);
    return Math.min(Number(total), Number.MAX_SAFE_INTEGER);
  };
  return Object.fromEntries(
    [...byCurrency].map(([currency, ofCurrency]) => {
      const totals = DUNNING_STATUSES.map(status => [status, totalOf(ofCurrency, status)]);
      return [currency, Object.fromEntries(totals) as Record<DunningStatus, number>]; // each of the statuses
    }),
  );
}
