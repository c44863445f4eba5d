import type { EntityManager } from '@mikro-orm/postgresql';
import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type BilledItem,
} from '@billing/contracts/events/subscriptions';
import { SubscriptionId, type CustomerId, type PriceId, type ProjectScope } from '@billing/contracts/ids';
import { newOutboxRow, record, recordAll, type OutboxRow } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/messaging/trace-carrier';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { KnownSubscription, Moment } from '#domain/sighting.ts';
import type { ItemTerms, SubscriptionTerms } from '#domain/subscription.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import { toState } from '#wire/subscription.ts';
import { linkInvoices } from './link-invoices.ts';

/** Our ids of prices by the processor's. */
export type PriceIds = ReadonlyMap<string, PriceId>;

/** Where knowledge of a subscription comes from: an event, an answer of the processor (with its time by our clock), or both. */
export interface Source {
  readonly asOf: Moment | null;
  readonly readAt: Date | null;
}

/** What the rules need to know of a row. */
export function knownOf(row: Subscription): KnownSubscription {
  const { status, cancelAtPeriodEnd, currentPeriodStart, currentPeriodEnd, startedAt, metadata } = row;
  const terms: SubscriptionTerms = {
    status,
    cancelAtPeriodEnd,
    cancelAt: row.cancelAt ?? null,
    items: row.items.map(withoutPriceId),
    currentPeriodStart,
    currentPeriodEnd,
    trialEnd: row.trialEnd ?? null,
    startedAt,
    endedAt: row.endedAt ?? null,
    metadata,
  };
  const { asOf: at, asOfRank: rank, asOfEvent: eventId } = row;
  const asOf = at && rank != null && eventId ? { at, rank, eventId } : null;
  return { terms, asOf, readAt: row.readAt ?? null };
}

function withoutPriceId({ priceId: _ours, ...terms }: BilledItem): ItemTerms {
  return terms;
}

/** What is known of a subscription at first sight. */
export interface Begun {
  readonly terms: SubscriptionTerms;
  readonly customerId: CustomerId;
  readonly source: Source;
  readonly priceIds: PriceIds;
}

/** The record of a subscription at first sight; it is not written yet. */
export function newSubscription(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  snapshot: SubscriptionSnapshot,
  begun: Begun,
): Subscription {
  const row = {
    id: SubscriptionId.create(),
    teamId,
    projectId,
    customerId: begun.customerId,
    processorSubscriptionId: snapshot.id,
    processorCustomerId: snapshot.customerId,
    ...columnsOf(begun.terms, begun.priceIds),
    ...sourceColumns(begun.source),
    version: 1,
    orders: 0,
    createdAt: snapshot.createdAt,
    updatedAt: new Date(),
  };
  return em.create(Subscription, row, { persist: false });
}

/** The facts about a new record: that it was created and, of one that has ended already, that too. Counts the versions. */
export function factsOfBirth(row: Subscription, trace?: TraceCarrier): OutboxRow[] {
  const created = newOutboxRow(SubscriptionCreated, row.teamId, toState(row), trace);
  if (row.status !== 'canceled') return [created];
  row.version = 2;
  return [created, newOutboxRow(SubscriptionCanceled, row.teamId, toState(row), trace)];
}

/** Creates the record at first sight and says so once. */
export async function beginSubscription(
  tx: EntityManager,
  scope: ProjectScope,
  snapshot: SubscriptionSnapshot,
  begun: Begun,
): Promise<void> {
  const row = newSubscription(tx, scope, snapshot, begun);
  const facts = factsOfBirth(row);
  tx.persist(row);
  await recordAll(tx, facts);
  await linkInvoices(tx, scope, [row]);
}

/** Changes the record and says so. */
export function changeSubscription(
  tx: EntityManager,
  row: Subscription,
  { terms, source, priceIds }: { terms: SubscriptionTerms; source: Source; priceIds: PriceIds },
): void {
  const cancels = terms.status === 'canceled' && row.status !== 'canceled';
  tx.assign(row, { ...columnsOf(terms, priceIds), ...sourceColumns(source) });
  tellChange(tx, row, cancels);
}

/** Says that the record has changed. */
export function tellChange(tx: EntityManager, row: Subscription, cancels = false): void {
  row.version += 1;
  row.updatedAt = new Date();
  record(tx, cancels ? SubscriptionCanceled : SubscriptionUpdated, row.teamId, toState(row));
}

/** Remembers how new the knowledge is, without a change that anyone else would hear of. */
export function confirmSubscription(tx: EntityManager, row: Subscription, source: Source): void {
  tx.assign(row, sourceColumns(source));
}

/** What terms are in a row. */
export function columnsOf(terms: SubscriptionTerms, priceIds: PriceIds) {
  const { items: told, metadata, ...columns } = terms;
  const items: BilledItem[] = told.map(item => ({ ...item, priceId: priceIds.get(item.processorPriceId) ?? null }));
  const [first] = items;
  return {
    ...columns,
    items,
    metadata: { ...metadata },
    priceId: first?.priceId ?? null,
    quantity: first?.quantity ?? 1,
  };
}

/** How new the knowledge is, in a row. */
export function sourceColumns({ asOf, readAt }: Source) {
  return { asOf: asOf?.at ?? null, asOfRank: asOf?.rank ?? null, asOfEvent: asOf?.eventId ?? null, readAt };
}
