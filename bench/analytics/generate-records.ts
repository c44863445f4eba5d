import type { ProjectScope } from '@billing/contracts/ids';
import { INTERVALS } from '@billing/contracts/resources/price';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import type { CustomerState } from '@billing/contracts/events/customers';
import { SHOWN_BY, type SubscriptionChange } from '@billing/contracts/events/subscriptions';
import { ITEM, subscriptionChange } from '@billing/testing/subscriptions';
import {
  customerRecord,
  subscriptionRecord,
  type RecordState,
} from '../../services/analytics/src/domain/record-state.ts';

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
  readonly versions: readonly { readonly state: SubscriptionChange; readonly recordedAt: Date }[];
}

/** Generates a customer and a subscription per seed; the same seed and `now` give the same records. */
export function* generateRecords(of: Target, seeds: Iterable<number>): Generator<Generated> {
  for (const seed of seeds) yield { customer: customerOf(of, seed), versions: versionsOf(of, seed) };
}

/** Returns the states that the event handlers of analytics get of the generated records. */
export function* toRecordStates({ teamId, now }: Target, records: Iterable<Generated>): Generator<RecordState> {
  for (const { customer, versions } of records) {
    yield customerRecord({ teamId, recordedAt: now }, customer);
    for (const { state, recordedAt } of versions) yield subscriptionRecord({ teamId, recordedAt }, state);
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
  const link = {
    processorCustomerId: `cus_${seed}`,
    externalId: null,
    linkedToExisting: false,
    balance: null,
    discountId: null,
    testClock: null,
    metadata: {},
  };
  const state = { projectId, email: `${seed}@example.com`, name: null, ...link };
  return { ...state, id: idOf('pc', seed, of), version: 1, createdAt, updatedAt: deletedAt ?? createdAt, deletedAt };
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
  const shown = endedAt ? [] : [toShown({ ...state, status }, changedAt)];
  const second = { ...state, status, endedAt, shown, observedAt: changedAt, version: 2 };
  return [first, { state: second, recordedAt: changedAt }];
}

function firstState(of: Target, seed: number, random: () => number): SubscriptionChange {
  const startedAt = before(of.now, random() * MAX_AGE_DAYS);
  const item = {
    ...ITEM,
    processorPriceId: 'price_bench',
    unitAmount: 500 + Math.floor(random() * 20_000),
    currency: random() < 0.9 ? 'usd' : 'eur',
    interval: INTERVALS[Math.floor(random() * INTERVALS.length)] ?? 'month',
    intervalCount: 1 + Math.floor(random() * 3),
    quantity: 1 + Math.floor(random() * 5),
  };
  const state = subscriptionChange(of.projectId, startedAt, {
    id: idOf('ps', seed, of),
    customerId: idOf('pc', seed, of),
    processorSubscriptionId: `sub_${seed}`,
    processorCustomerId: `cus_${seed}`,
    status: random() < 0.9 ? 'active' : 'trialing',
    quantity: item.quantity,
    items: [item],
  });
  return { ...state, shown: [toShown(state, startedAt)] };
}

function toShown({ status, items }: SubscriptionChange, at: Date): SubscriptionChange['shown'][number] {
  const priced = items.map(({ processorPriceId: _theirs, priceId: _ours, ...billed }) => billed);
  return { status, hasTrial: false, items: priced, at, by: SHOWN_BY.updated };
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
