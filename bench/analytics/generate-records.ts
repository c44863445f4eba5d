import type { ProjectScope } from '@billing/contracts/ids';
import { INTERVALS } from '@billing/contracts/resources/price';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { SubscriptionState } from '@billing/contracts/events/subscriptions';
import {
  observeCustomer,
  observeSubscription,
  type Observation,
} from '../../services/analytics/src/domain/observation.ts';

const DAY_MS = 86_400_000;
/** The maximum age of customers and subscriptions. */
const MAX_AGE_DAYS = 400;

/** The project that gets the records. */
interface Target extends ProjectScope {
  readonly now: Date;
  /** Makes the ids of a copy differ from those of the original and of other copies. */
  readonly copy?: number;
}

/** A customer and its subscription. */
export interface Generated {
  readonly customer: CustomerState;
  /** Every version of the subscription, oldest first, and when it was recorded. */
  readonly versions: readonly { readonly state: SubscriptionState; readonly recordedAt: Date }[];
}

/** Generates a customer and a subscription per seed; the same seed and `now` give the same records. */
export function* generateRecords(of: Target, seeds: Iterable<number>): Generator<Generated> {
  for (const seed of seeds) yield { customer: customerOf(of, seed), versions: versionsOf(of, seed) };
}

/** Returns what the event handlers of analytics observe of the generated records. */
export function* toObservations({ teamId, now }: Target, records: Iterable<Generated>): Generator<Observation> {
  for (const { customer, versions } of records) {
    yield observeCustomer({ teamId, recordedAt: now }, customer);
    for (const { state, recordedAt } of versions) yield observeSubscription({ teamId, recordedAt }, state);
  }
}

/** Returns the id of a seed's record. The SQL that copies records builds ids in the same way. */
const idOf = <Prefix extends string>(prefix: Prefix, seed: number, { copy }: Target): `${Prefix}_${string}` =>
  `${prefix}_${String(seed).padStart(20, '0')}${copy === undefined ? '' : `x${copy}`}`;

function customerOf(of: Target, seed: number): CustomerState {
  const { projectId, now } = of;
  const random = randomFrom(seed);
  const createdAt = before(now, random() * MAX_AGE_DAYS);
  const deletedAt = random() < 0.05 ? new Date((createdAt.getTime() + now.getTime()) / 2) : null;
  const link = { processorCustomerId: `cus_${seed}`, linkedToExisting: false };
  const state = { projectId, email: `${seed}@example.com`, name: null, ...link };
  return { ...state, id: idOf('pc', seed, of), version: 1, createdAt, deletedAt };
}

/** Generates the first version of a subscription, and a second version for every third seed. */
function versionsOf(of: Target, seed: number): Generated['versions'] {
  const { now } = of;
  const random = randomFrom(-seed - 1);
  const state = firstState(of, seed, random);
  const first = { state, recordedAt: state.startedAt };
  if (seed % 3 !== 0) return [first];
  const status = SUBSCRIPTION_STATUSES[Math.floor(random() * SUBSCRIPTION_STATUSES.length)] ?? 'active';
  const changedAt = new Date(state.startedAt.getTime() + random() * (now.getTime() - state.startedAt.getTime()));
  const endedAt = status === 'canceled' || status === 'incomplete_expired' ? changedAt : null;
  return [first, { state: { ...state, status, endedAt, version: 2 }, recordedAt: changedAt }];
}

function firstState(of: Target, seed: number, random: () => number): SubscriptionState {
  const startedAt = before(of.now, random() * MAX_AGE_DAYS);
  const item = {
    processorPriceId: 'price_bench',
    priceId: null,
    unitAmount: 500 + Math.floor(random() * 20_000),
    unitAmountDecimal: null,
    billingScheme: 'per_unit' as const,
    currency: random() < 0.9 ? 'usd' : 'eur',
    interval: INTERVALS[Math.floor(random() * INTERVALS.length)] ?? 'month',
    intervalCount: 1 + Math.floor(random() * 3),
    quantity: 1 + Math.floor(random() * 5),
    transformQuantity: null,
    metered: false,
  };
  return {
    id: idOf('ps', seed, of),
    projectId: of.projectId,
    customerId: idOf('pc', seed, of),
    processorSubscriptionId: `sub_${seed}`,
    processorCustomerId: `cus_${seed}`,
    priceId: null,
    status: random() < 0.9 ? 'active' : 'trialing',
    quantity: item.quantity,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    pauseCollection: null,
    items: [item],
    currentPeriodStart: startedAt,
    currentPeriodEnd: startedAt,
    trialEnd: null,
    startedAt,
    endedAt: null,
    version: 1,
    createdAt: startedAt,
  };
}

const before = (now: Date, days: number) => new Date(now.getTime() - Math.floor(days * DAY_MS));

/** Returns a generator of numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
