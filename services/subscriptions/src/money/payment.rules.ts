import {
  storedPaymentMethod,
  type PaymentMethod,
  type PaymentStatus,
  type StoredPaymentMethod,
} from '@billing/contracts/resources/payment';
import type { PaymentObstacle } from '@billing/processor/snapshots/payments';
import { compareOrder, type EventOrder } from '@billing/processor/event-order';

/*
 * What was observed of a payment, and the record that follows from it. Events of several objects make one payment: a
 * payment intent, its charges, their refunds and disputes. Each adds an observation, and `mergeObservations` keeps the
 * newest of each object: the order does not matter and a repeat adds nothing. Times are milliseconds since 1970, amounts in the currency's
 * smallest unit. Ids are the processor's.
 */

/** How an attempt to pay ended, in the order in which one state may follow another. `released`: authorized, never captured. */
const ATTEMPT_STATES = ['failed', 'authorized', 'released', 'succeeded'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** The newest event of a payment intent, or of one of the charges. */
interface Attempt {
  readonly id: string;
  /** The processor's time of the event. */
  readonly at: number;
  readonly createdAt: number;
  readonly state: AttemptState;
  /** What was captured of one that succeeded, else what was asked for. */
  readonly amount: number;
  /** The part of an authorization that a charge did not capture; 0 for a payment intent. */
  readonly amountReleased: number;
  /** Of a charge, as it was at that time; 0 for a payment intent. */
  readonly amountRefunded: number;
  readonly currency: string;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly paymentMethod: StoredPaymentMethod | null;
}

/** The least that a charge counted as refunded since a part of it was captured. */
interface PartialCapture {
  readonly id: string;
  readonly leastRefunded: number;
}

interface Refund {
  readonly id: string;
  /** The operation of ours that made it; null for one made at the processor. */
  readonly operationId: string | null;
  readonly amount: number;
  readonly createdAt: number | null;
  /** When it was first seen to have failed or been canceled; null if it has not. */
  readonly undoneAt: number | null;
}

interface Dispute {
  readonly id: string;
  readonly at: number;
  readonly outcome: 'inquiry' | 'open' | 'won' | 'lost';
}

/** All that was observed of a payment. Lists are sorted by id. */
export interface PaymentObservations {
  readonly intent: Attempt | null;
  /** Whether the payment intent was canceled, which ends an authorization. */
  readonly isCanceled: boolean;
  readonly charges: readonly Attempt[];
  readonly partialCaptures: readonly PartialCapture[];
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  readonly customerId: string | null;
  readonly invoiceId: string | null;
  /** The earliest time at which one of the objects was created; null until one says so. */
  readonly createdAt: number | null;
  /** The newest thing that kept it from being paid without an attempt that failed; absent for none, and in older rows. */
  readonly obstacle?: Obstacle;
}

interface Obstacle {
  readonly code: PaymentObstacle;
  readonly at: number;
}

export const NOTHING_OBSERVED: PaymentObservations = {
  intent: null,
  isCanceled: false,
  charges: [],
  partialCaptures: [],
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
    isCanceled: one.isCanceled || other.isCanceled,
    charges: newestById([...one.charges, ...other.charges], newerCharge),
    partialCaptures: newestById([...one.partialCaptures, ...other.partialCaptures], leastRefunded),
    refunds: newestById([...one.refunds, ...other.refunds], mergedRefund),
    disputes: newestById([...one.disputes, ...other.disputes], newerDispute),
    // All objects of a payment name the same customer and invoice, if they name one.
    customerId: least(one.customerId, other.customerId),
    invoiceId: least(one.invoiceId, other.invoiceId),
    createdAt: least(one.createdAt, other.createdAt),
    ...newestObstacle(one, other),
  };
}

/** Of two in one second, one is the newer in every order. */
function newestObstacle(one: PaymentObservations, other: PaymentObservations): Pick<PaymentObservations, 'obstacle'> {
  const found = [one, other].flatMap(({ obstacle }) => obstacle ?? []);
  const newest = found.toSorted((a, b) => a.at - b.at || compareText(b.code, a.code)).at(-1);
  return newest ? { obstacle: newest } : {};
}

/** Returns the charges that failed: once one has, it stays so. */
export const failuresIn = ({ charges }: PaymentObservations): readonly Attempt[] =>
  charges.filter(({ state }) => state === 'failed');

/** What the observations say about a payment. */
export interface PaymentTerms {
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly currency: string;
  readonly processorChargeId: string | null;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly paymentMethod: PaymentMethod | null;
}

/** Returns the record that follows from the observations; null while only refunds, disputes, an invoice or a cancellation are known of it. */
export function termsOf(observations: PaymentObservations): PaymentTerms | null {
  const { intent, charges } = observations;
  const charge = charges.toSorted(byDecisiveness).at(-1);
  const attempt = intent?.state !== 'succeeded' && charge?.state === 'succeeded' ? charge : (intent ?? charge);
  if (!attempt) return null;
  const { amount, currency } = attempt;
  const refunded = Math.min(refundedOf(observations, charge), amount);
  const status = statusOf(observations, { intent, charge, amount, refunded });
  const { failureCode, failureMessage } = status === 'failed' ? attempt : NO_FAILURE;
  const method = attempt.paymentMethod ?? charge?.paymentMethod;
  return {
    status,
    amount,
    amountRefunded: status === 'requires_capture' || status === 'canceled' ? 0 : refunded,
    currency,
    processorChargeId: charge?.id ?? null,
    failureCode,
    failureMessage,
    paymentMethod: method ? storedPaymentMethod.parse(method) : null,
  };
}

const NO_FAILURE = { failureCode: null, failureMessage: null };

interface Found {
  readonly intent: Attempt | null;
  readonly charge: Attempt | undefined;
  readonly amount: number;
  readonly refunded: number;
}

/**
 * Only what was captured can be disputed, or refunded: the refund of an authorization is its release.
 * https://docs.stripe.com/payments/place-a-hold-on-a-payment-method
 */
function statusOf(
  { disputes, isCanceled }: PaymentObservations,
  { intent, charge, amount, refunded }: Found,
): PaymentStatus {
  const states = [intent?.state, charge?.state];
  if (states.includes('succeeded') || disputes.length > 0) return settledStatus(disputes, amount, refunded);
  if (states.includes('released')) return 'canceled';
  if (states.includes('authorized')) return isCanceled || refunded >= amount ? 'canceled' : 'requires_capture';
  return refunded > 0 ? settledStatus(disputes, amount, refunded) : 'failed';
}

/** A dispute that was won leaves the payment as it was. */
function settledStatus(disputes: readonly Dispute[], amount: number, amountRefunded: number): PaymentStatus {
  const has = (wanted: Dispute['outcome']) => disputes.some(({ outcome }) => outcome === wanted);
  if (has('open')) return 'disputed';
  if (has('lost')) return 'dispute_lost';
  if (has('inquiry')) return 'inquiry';
  if (amountRefunded === 0) return 'succeeded';
  return amountRefunded < amount ? 'partially_refunded' : 'refunded';
}

/**
 * A charge counts the refunds that were made by its newest event and had not failed; those that failed since are taken off,
 * and those made since are added. Refunds may be known before the charge counts them. Stripe counts the part of an
 * authorization that was not captured as refunded; a charge that once counted less does not.
 * https://docs.stripe.com/refunds#failed-refunds
 */
function refundedOf({ refunds, partialCaptures }: PaymentObservations, charge: Attempt | undefined): number {
  const sum = (counted: readonly Refund[]) => counted.reduce((total, { amount }) => total + amount, 0);
  const { at = 0, amountRefunded = 0, amountReleased = 0 } = charge ?? {};
  const isSince = ({ createdAt }: Refund) => createdAt !== null && createdAt > at;
  const standing = refunds.filter(({ undoneAt }) => undoneAt === null);
  const undone = refunds.filter(refund => refund.undoneAt !== null && refund.undoneAt >= at && !isSince(refund));
  const made = standing.filter(isSince);
  const counted = Math.max(amountRefunded - sum(undone) + sum(made), sum(standing), 0);
  const counts = partialCaptures.find(({ id }) => id === charge?.id)?.leastRefunded ?? 0;
  return Math.max(counted - (counts < amountReleased ? 0 : amountReleased), 0);
}

/** The charge that got furthest, else the one that was made last. */
const byDecisiveness = (a: Attempt, b: Attempt): number =>
  placeOf(a) - placeOf(b) || a.createdAt - b.createdAt || compareText(a.id, b.id);

const placeOf = ({ state }: Attempt): number => ATTEMPT_STATES.indexOf(state);

/** A payment intent that has succeeded stays so. */
const newerIntent = (a: Attempt, b: Attempt): Attempt =>
  greater(a, b, ({ state, at }) => ({ isFinal: state === 'succeeded', at, rank: 0 }));

/** Of two events in one second, the later one is further in its life, has more captured, or more refunded. */
const newerCharge = (a: Attempt, b: Attempt): Attempt =>
  greater(
    a,
    b,
    it => ({ at: it.at, rank: placeOf(it) }),
    it => [it.amount, it.amountRefunded],
  );

const leastRefunded = (a: PartialCapture, b: PartialCapture): PartialCapture =>
  a.leastRefunded <= b.leastRefunded ? a : b;

/** What was undone stays so. */
const mergedRefund = (a: Refund, b: Refund): Refund => ({
  id: a.id,
  operationId: least(a.operationId, b.operationId),
  amount: Math.max(a.amount, b.amount),
  createdAt: least(a.createdAt, b.createdAt),
  undoneAt: least(a.undoneAt, b.undoneAt),
});

/** A dispute that is closed stays so. An inquiry may become a dispute. */
const newerDispute = (a: Dispute, b: Dispute): Dispute =>
  greater(a, b, ({ outcome, at }) => ({
    isFinal: outcome === 'won' || outcome === 'lost',
    at,
    rank: Number(outcome === 'open'),
  }));

/**
 * Returns the newer of two. Where the order does not tell, the amounts do, and then their text, so that every copy decides
 * alike.
 */
function greater<Item>(
  a: Item,
  b: Item,
  orderOf: (item: Item) => EventOrder,
  amountsOf: (item: Item) => readonly number[] = () => [],
): Item {
  const others = amountsOf(b);
  const byAmounts = amountsOf(a).map((amount, index) => amount - (others[index] ?? 0));
  const difference =
    compareOrder(orderOf(a), orderOf(b)) || byAmounts.find(Boolean) || compareText(canonical(a), canonical(b));
  return difference >= 0 ? a : b;
}

/** The same text for the same fields, in whatever order the database returns them. */
const canonical = (item: unknown): string =>
  JSON.stringify(item, (_name, value: unknown) => (isObject(value) ? Object.entries(value).toSorted(byName) : value));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
