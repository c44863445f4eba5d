import type { EntityManager } from '@mikro-orm/postgresql';
import { SubscriptionCanceled, SubscriptionUpdated } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import { newOutboxRow, recordAll, type OutboxRow } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/messaging/trace-carrier';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { compareMoments, judge, laterOf, type KnownSubscription, type Moment } from '#domain/sighting.ts';
import { readTerms } from '#domain/subscription.ts';
import { lockAll } from '#persistence/locks.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import { insertSubscriptions, updateSubscriptions } from '#persistence/write-subscriptions.ts';
import { toState } from '#wire/subscription.ts';
import { findPriceIds } from './find-price-ids.ts';
import { referenceOf } from './follow-subscription.ts';
import { findKnownCustomers } from './identify-customer.ts';
import {
  columnsOf,
  factsOfBirth,
  knownOf,
  newSubscription,
  sourceColumns,
  type PriceIds,
} from './keep-subscription.ts';
import { linkInvoices } from './link-invoices.ts';

/** What an event says of a subscription. */
export interface SubscriptionEvent {
  readonly scope: ProjectScope;
  readonly snapshot: SubscriptionSnapshot;
  readonly moment: Moment;
  readonly trace: TraceCarrier;
}

/**
 * Keeps what many events say with a few statements, as `followEvent` would one after the other in the order of their
 * moments, and answers those it could: where neither the processor nor another service need be asked. What several
 * events change on one subscription is said once.
 */
export async function followEvents<Event extends SubscriptionEvent>(
  tx: EntityManager,
  events: readonly Event[],
): Promise<Event[]> {
  const ofScopes = [...Map.groupBy(events, ({ scope }) => `${scope.teamId} ${scope.projectId}`)];
  const inOrder = ofScopes.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, ofScope]) => ofScope);
  const prices: PriceIds[] = [];
  for (const ofScope of inOrder) prices.push(await findPricesOf(tx, ofScope));
  await lockAll(
    tx,
    'subscription',
    events.map(({ scope, snapshot }) => ({ scope, processorId: snapshot.id })),
  );

  const followed: Event[] = [];
  const changed: Subscription[] = [];
  const facts: OutboxRow[] = [];
  for (const [index, ofScope] of inOrder.entries()) {
    const priceIds = prices[index] ?? new Map();
    const rows = await findRows(tx, ofScope);
    const births = await findBirths(
      tx,
      ofScope.filter(({ snapshot }) => !rows.has(snapshot.id)),
      priceIds,
    );
    for (const { row, first } of births.values()) {
      facts.push(...factsOfBirth(row, first.trace));
      followed.push(first);
    }
    for (const [id, ofOne] of Map.groupBy(ofScope, ({ snapshot }) => snapshot.id)) {
      const birth = births.get(id);
      const row = rows.get(id) ?? birth?.row;
      if (!row) continue;
      const later = ofOne.filter(event => event !== birth?.first);
      const { done, outcome } = follow(knownOf(row), later);
      followed.push(...done);
      if (outcome.kind === 'nothing') continue;
      const fact = keepOutcome(row, outcome, priceIds);
      if (fact) facts.push(fact);
      if (!birth) changed.push(row);
    }
    await insertBirths(
      tx,
      [...births.values()].map(({ row }) => row),
    );
  }
  await updateSubscriptions(tx, changed);
  await recordAll(tx, facts);
  return followed;
}

interface Birth<Event> {
  readonly row: Subscription;
  /** What made the record. */
  readonly first: Event;
}

/**
 * New records of one project's subscriptions that are heard of for the first time, each as its oldest event tells, by
 * the processor's ids; without those whose customer is not known here, or whose status nobody knows.
 */
async function findBirths<Event extends SubscriptionEvent>(
  tx: EntityManager,
  events: readonly Event[],
  priceIds: PriceIds,
): Promise<ReadonlyMap<string, Birth<Event>>> {
  const oldest = [...Map.groupBy(events, ({ snapshot }) => snapshot.id).values()].flatMap(oldestReadable);
  const [one] = oldest;
  if (!one) return new Map();
  const customerIds = await findKnownCustomers(
    tx,
    one.first.scope,
    oldest.map(({ first }) => referenceOf(first.snapshot)),
  );
  return new Map(
    oldest.flatMap(({ first, terms }, index) => {
      const customerId = customerIds[index];
      if (!customerId) return [];
      const source = { asOf: first.moment, readAt: null };
      const row = newSubscription(tx, first.scope, first.snapshot, { terms, customerId, source, priceIds });
      return [[first.snapshot.id, { row, first }] as const];
    }),
  );
}

function oldestReadable<Event extends SubscriptionEvent>(events: readonly Event[]) {
  for (const first of events.toSorted((a, b) => compareMoments(a.moment, b.moment))) {
    const terms = readTerms(first.snapshot, { seenAt: first.moment.at, known: undefined });
    if (terms) return [{ first, terms }];
  }
  return [];
}

async function insertBirths(tx: EntityManager, rows: readonly Subscription[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await insertSubscriptions(tx, rows);
  await linkInvoices(tx, first, rows);
}

type Outcome =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'confirmed' | 'changed'; readonly known: KnownSubscription; readonly trace: TraceCarrier };

/** Follows the events of one subscription, the oldest first; those that raise a doubt are left out. */
function follow<Event extends SubscriptionEvent>(known: KnownSubscription, events: readonly Event[]) {
  const done: Event[] = [];
  let outcome: Outcome = { kind: 'nothing' };
  let now = known;
  for (const event of events.toSorted((a, b) => compareMoments(a.moment, b.moment))) {
    const { snapshot, moment, trace } = event;
    const terms = readTerms(snapshot, { seenAt: moment.at, known: now.terms.status });
    const judgement = terms ? judge(now, terms, moment) : 'ask';
    if (judgement === 'ask' || !terms) continue;
    done.push(event);
    if (judgement === 'stale') continue;
    if (judgement === 'confirm') now = { ...now, asOf: laterOf(now.asOf, moment) };
    else now = { terms, asOf: moment, readAt: null };
    const isChanged: boolean = judgement === 'apply' || outcome.kind === 'changed';
    outcome = { kind: isChanged ? 'changed' : 'confirmed', known: now, trace };
  }
  return { done, outcome };
}

/** Writes an outcome into a row, and answers the fact that tells of a change. */
function keepOutcome(
  row: Subscription,
  { kind, known, trace }: Exclude<Outcome, { kind: 'nothing' }>,
  priceIds: PriceIds,
): OutboxRow | undefined {
  Object.assign(row, sourceColumns(known));
  if (kind === 'confirmed') return undefined;
  const cancels = known.terms.status === 'canceled' && row.status !== 'canceled';
  Object.assign(row, columnsOf(known.terms, priceIds), { version: row.version + 1, updatedAt: new Date() });
  return newOutboxRow(cancels ? SubscriptionCanceled : SubscriptionUpdated, row.teamId, toState(row), trace);
}

async function findPricesOf(tx: EntityManager, events: readonly SubscriptionEvent[]): Promise<PriceIds> {
  const [first] = events;
  if (!first) return new Map();
  const ids = events.flatMap(({ snapshot }) => snapshot.items.map(item => item.price.id));
  return findPriceIds(tx, first.scope, ids);
}

/** Rows that the unit of work does not watch: they are written with one statement. */
async function findRows(
  tx: EntityManager,
  events: readonly SubscriptionEvent[],
): Promise<ReadonlyMap<string, Subscription>> {
  const [first] = events;
  if (!first) return new Map();
  const { teamId, projectId } = first.scope;
  const ids = [...new Set(events.map(({ snapshot }) => snapshot.id))];
  const rows = await tx.find(
    Subscription,
    { teamId, projectId, processorSubscriptionId: { $in: ids } },
    { disableIdentityMap: true },
  );
  return new Map(rows.map(row => [row.processorSubscriptionId, row]));
}
