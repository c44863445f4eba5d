import type { PaymentStatus } from '@billing/contracts/resources/payment';
import { compareOrder, type EventOrder } from '@billing/processor/event-order';

/*
 * What was observed of a payment, and the record that follows from it. Events of several objects make one payment: a
 * payment intent, its charges, their refunds and disputes. Each adds an observation, and `mergeObservations` keeps the
 * newest of each object: the order does not matter and a repeat adds nothing. Times are milliseconds since 1970, amounts in the currency's
 * smallest unit. Ids are the processor's.
 */

/** The newest event of a payment intent, or of one of the charges. */
interface Attempt {
  readonly id: string;
  /** The processor's time of the event. */
  readonly at: number;
  readonly hasSucceeded: boolean;
  readonly amount: number;
  /** Of a charge, as it was at that time; 0 for a payment intent. */
  readonly amountRefunded: number;
  readonly currency: string;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

interface Refund {
  readonly id: string;
  readonly amount: number;
  /** When it was first seen to have failed or been canceled; null if it has not. */
  readonly undoneAt: number | null;
}

interface Dispute {
  readonly id: string;
  readonly at: number;
  readonly outcome: 'open' | 'won' | 'lost';
}

/** All that was observed of a payment. Lists are sorted by id. */
export interface PaymentObservations {
  readonly intent: Attempt | null;
  readonly charges: readonly Attempt[];
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  readonly customerId: string | null;
  readonly invoiceId: string | null;
  /** The earliest time at which one of the objects was created; null until one says so. */
  readonly createdAt: number | null;
}

export const NOTHING_OBSERVED: PaymentObservations = {
  intent: null,
  charges: [],
  refunds: [],
  disputes: [],
  customerId: null,
  invoiceId: null,
  createdAt: null,
};

/** Returns two sets of observations as one: commutative, associative, and the same observations add nothing. */
export function mergeObservations(one: PaymentObservations, other: PaymentObservations): PaymentObservations {
  return {
    intent:
      newestById(
        [one.intent, other.intent].flatMap(it => it ?? []),
        newerIntent,
      )[0] ?? null,
    charges: newestById([...one.charges, ...other.charges], newerCharge),
    refunds: newestById([...one.refunds, ...other.refunds], mergedRefund),
    disputes: newestById([...one.disputes, ...other.disputes], newerDispute),
    // All objects of a payment name the same customer and invoice, if they name one.
    customerId: least(one.customerId, other.customerId),
    invoiceId: least(one.invoiceId, other.invoiceId),
    createdAt: least(one.createdAt, other.createdAt),
  };
}

/** What the observations say about a payment. */
export interface PaymentTerms {
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly currency: string;
  readonly processorChargeId: string | null;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

/** Returns the record that follows from the observations; null while only refunds, disputes or an invoice are known of it. */
export function termsOf(observations: PaymentObservations): PaymentTerms | null {
  const { intent, charges, disputes } = observations;
  const charge = charges.toSorted(byDecisiveness).at(-1);
  const attempt = intent ?? charge;
  if (!attempt) return null;
  const { amount, currency } = attempt;
  const amountRefunded = Math.min(refundedOf(observations, charge), amount);
  // Only what has succeeded can be disputed or refunded.
  const hasSucceeded = [intent, charge].some(it => it?.hasSucceeded) || disputes.length > 0 || amountRefunded > 0;
  const status = hasSucceeded ? settledStatus(disputes, amount, amountRefunded) : 'failed';
  const { failureCode, failureMessage } = hasSucceeded ? NO_FAILURE : attempt;
  return {
    status,
    amount,
    amountRefunded,
    currency,
    processorChargeId: charge?.id ?? null,
    failureCode,
    failureMessage,
  };
}

const NO_FAILURE = { failureCode: null, failureMessage: null };

/** A dispute that was won leaves the payment as it was. */
function settledStatus(disputes: readonly Dispute[], amount: number, amountRefunded: number): PaymentStatus {
  if (disputes.some(({ outcome }) => outcome === 'open')) return 'disputed';
  if (disputes.some(({ outcome }) => outcome === 'lost')) return 'dispute_lost';
  if (amountRefunded === 0) return 'succeeded';
  return amountRefunded < amount ? 'partially_refunded' : 'refunded';
}

/**
 * A charge counts its refunds, without those that failed before its newest event; those that failed since are taken off.
 * Refunds may be known before the charge counts them. https://docs.stripe.com/refunds#failed-refunds
 */
function refundedOf({ refunds }: PaymentObservations, charge: Attempt | undefined): number {
  const sum = (counted: readonly Refund[]) => counted.reduce((total, { amount }) => total + amount, 0);
  const at = charge?.at ?? 0;
  const undoneSince = sum(refunds.filter(({ undoneAt }) => undoneAt !== null && undoneAt >= at));
  const standing = sum(refunds.filter(({ undoneAt }) => undoneAt === null));
  return Math.max((charge?.amountRefunded ?? 0) - undoneSince, standing, 0);
}

/** The charge that succeeded, else the newest one. */
const byDecisiveness = (a: Attempt, b: Attempt): number =>
  Number(a.hasSucceeded) - Number(b.hasSucceeded) || a.at - b.at || compareText(a.id, b.id);

/** A payment intent that has succeeded stays so. */
const newerIntent = (a: Attempt, b: Attempt): Attempt =>
  greater(a, b, ({ hasSucceeded, at }) => ({ isFinal: hasSucceeded, at, rank: 0 }));

/** Of two events in one second, the later one has more refunds; one of success is later than one of failure. */
const newerCharge = (a: Attempt, b: Attempt): Attempt =>
  greater(a, b, ({ at, amountRefunded, hasSucceeded }) => ({ at, rank: amountRefunded * 2 + Number(hasSucceeded) }));

/** What was undone stays so. */
const mergedRefund = (a: Refund, b: Refund): Refund => ({
  id: a.id,
  amount: Math.max(a.amount, b.amount),
  undoneAt: least(a.undoneAt, b.undoneAt),
});

/** A dispute that is closed stays so. */
const newerDispute = (a: Dispute, b: Dispute): Dispute =>
  greater(a, b, ({ outcome, at }) => ({ isFinal: outcome !== 'open', at, rank: 0 }));

/** Returns the newer of two; where the order does not tell, their text decides, so that every copy decides alike. */
function greater<Item>(a: Item, b: Item, orderOf: (item: Item) => EventOrder): Item {
  return (compareOrder(orderOf(a), orderOf(b)) || compareText(canonical(a), canonical(b))) >= 0 ? a : b;
}

/** The same text for the same fields, in whatever order the database returns them. */
const canonical = (item: unknown): string => JSON.stringify(Object.entries(Object(item)).toSorted(byName));

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => compareText(a, b);

function newestById<Item extends { readonly id: string }>(
  items: readonly Item[],
  newer: (a: Item, b: Item) => Item,
): Item[] {
  const byId = new Map<string, Item>();
  for (const item of items) {
    const stored = byId.get(item.id);
    byId.set(item.id, stored ? newer(stored, item) : item);
  }
  return [...byId.values()].toSorted((a, b) => compareText(a.id, b.id));
}

/** The lesser of two values that are known. */
function least<Value extends string | number>(a: Value | null, b: Value | null): Value | null {
  if (a === null || b === null) return a ?? b;
  return a <= b ? a : b;
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
