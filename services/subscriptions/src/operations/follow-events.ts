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
import { updateSubscriptions } from '#persistence/update-subscriptions.ts';
import { toState } from '#wire/subscription.ts';
import { findPriceIds } from './find-price-ids.ts';
import { columnsOf, knownOf, sourceColumns, type PriceIds } from './keep-subscription.ts';

/** What an event says of a subscription. */
export interface SubscriptionEvent {
  readonly scope: ProjectScope;
  readonly snapshot: SubscriptionSnapshot;
  readonly moment: Moment;
  readonly trace: TraceCarrier;
}

/**
 * Keeps what many events say with a few statements, as `followEvent` would one after the other in the order of their
 * moments, and answers those it could: of subscriptions that are known, where the processor need not be asked. What
 * several events change on one subscription is said once.
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
  const changes: Subscription[] = [];
  const facts: OutboxRow[] = [];
  for (const [index, ofScope] of inOrder.entries()) {
    const rows = await findRows(tx, ofScope);
    for (const [id, ofOne] of Map.groupBy(ofScope, ({ snapshot }) => snapshot.id)) {
      const row = rows.get(id);
      if (!row) continue;
      const { done, outcome } = follow(knownOf(row), ofOne);
      followed.push(...done);
      if (outcome.kind === 'nothing') continue;
      const fact = keepOutcome(row, outcome, prices[index] ?? new Map());
      if (fact) facts.push(fact);
      changes.push(row);
    }
  }
  await updateSubscriptions(tx, changes);
  await recordAll(tx, facts);
  return followed;
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
