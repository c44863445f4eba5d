import {
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
  type BilledItem,
} from '@billing/contracts/events/subscriptions';
import { SubscriptionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { idOfMirrored } from '@billing/service/derived-id';
import type { History } from '#domain/history.ts';
import type { RecordedState } from '#domain/observation.ts';
import type { ItemTerms, SubscriptionTerms } from '#domain/subscription.ts';
import type { PriceIds } from '#persistence/find-price-ids.ts';
import { pauseOf, toStateWithHistory, type Subscription } from '#persistence/subscription.entity.ts';

/** A subscription that is to be recorded for the first time. */
interface NewSubscription {
  readonly scope: ProjectScope;
  readonly snapshot: SubscriptionSnapshot;
  readonly state: RecordedState;
  readonly history: History;
  readonly customerId: CustomerId;
  readonly priceIds: PriceIds;
  readonly now: Date;
}

/** Returns the row of a new subscription; the caller saves it. */
export function newSubscription({
  scope: { teamId, projectId },
  snapshot,
  state,
  history,
  customerId,
  priceIds,
  now,
}: NewSubscription): Subscription {
  return {
    id: idOfMirrored(SubscriptionId, { teamId, projectId }, snapshot.id),
    teamId,
    projectId,
    customerId,
    processorSubscriptionId: snapshot.id,
    processorCustomerId: snapshot.customerId,
    ...termColumns({ teamId, projectId }, state.terms, priceIds),
    ...sourceColumns(state),
    history,
    version: 1,
    revision: 1,
    createdAt: snapshot.createdAt,
    updatedAt: now,
  };
}

/** Publishes that a subscription was created and, if it has been canceled already, that too. Counts the versions. */
export function publishCreated(
  publish: Publish,
  row: Subscription,
  { trace, fromSync }: { readonly trace?: TraceCarrier | undefined; readonly fromSync?: boolean | undefined } = {},
): void {
  publish(SubscriptionCreated, row.teamId, { ...toStateWithHistory(row), ...(fromSync && { fromSync }) }, trace);
  if (row.status !== 'canceled') return;
  row.version += 1;
  publish(SubscriptionCanceled, row.teamId, toStateWithHistory(row), trace);
}

/** Writes a new state into the row and publishes the change; the caller saves the row. */
export function changeSubscription(
  publish: Publish,
  row: Subscription,
  {
    state,
    priceIds,
    now,
    trace,
  }: { state: RecordedState; priceIds: PriceIds; now: Date; trace?: TraceCarrier | undefined },
): void {
  const isCanceled = state.terms.status === 'canceled' && row.status !== 'canceled';
  Object.assign(row, termColumns(row, state.terms, priceIds), sourceColumns(state));
  publishChange(publish, row, { type: isCanceled ? SubscriptionCanceled : SubscriptionUpdated, now, trace });
}

/** Counts a change of the row and publishes it. */
export function publishChange(
  publish: Publish,
  row: Subscription,
  {
    type = SubscriptionUpdated,
    now,
    trace,
  }: { type?: typeof SubscriptionUpdated; now: Date; trace?: TraceCarrier | undefined },
): void {
  row.version += 1;
  row.revision += 1;
  row.updatedAt = now;
  publish(type, row.teamId, toStateWithHistory(row), trace);
}

/** Notes in the row how new its state is, which is not published; the caller saves the row. */
export function confirmSubscription(row: Subscription, state: RecordedState): void {
  Object.assign(row, sourceColumns(state));
  row.revision += 1;
}

/** Returns the state that a row records. */
export function recordedState(row: Subscription): RecordedState {
  const { eventAt: at, eventRank: rank, eventId, readAt } = row;
  const terms: SubscriptionTerms = {
    status: row.status,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelAt: row.cancelAt,
    canceledAt: row.canceledAt,
    pauseCollection: pauseOf(row),
    items: row.items.map(withoutPriceId),
    currentPeriodStart: row.currentPeriodStart,
    currentPeriodEnd: row.currentPeriodEnd,
    trialEnd: row.trialEnd,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    metadata: row.metadata,
  };
  const position = at && rank !== null && eventId !== null ? { at, rank, eventId } : null;
  return { terms, position, readAt };
}

/** Returns the prices of a snapshot, whose ids `findPriceIds` finds. */
export const pricesOf = (scope: ProjectScope, { items }: SubscriptionSnapshot): ProjectObject[] =>
  items.map(({ price }) => ({ scope, id: price.id }));

function withoutPriceId({ priceId: _ours, ...terms }: BilledItem): ItemTerms {
  return terms;
}

function termColumns(
  { teamId, projectId }: ProjectScope,
  { items: itemTerms, metadata, pauseCollection, ...columns }: SubscriptionTerms,
  priceIds: PriceIds,
) {
  const scope = { teamId, projectId };
  const items: BilledItem[] = itemTerms.map(item => ({
    ...item,
    priceId: priceIds.get(scopedKey({ scope, id: item.processorPriceId })) ?? null,
  }));
  const [first] = items;
  return {
    ...columns,
    pauseBehavior: pauseCollection?.behavior ?? null,
    pauseResumesAt: pauseCollection?.resumesAt ?? null,
    items,
    metadata: { ...metadata },
    priceId: first?.priceId ?? null,
    quantity: first?.quantity ?? 1,
  };
}

const sourceColumns = ({ position, readAt }: RecordedState) => ({
  eventAt: position?.at ?? null,
  eventRank: position?.rank ?? null,
  eventId: position?.eventId ?? null,
  readAt,
});
