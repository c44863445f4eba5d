import type { BilledDiscount, BilledItem } from '@billing/contracts/events/subscriptions';
import { isDeepStrictEqual } from 'node:util';
import { SubscriptionId, type CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { pendingChange as pendingChangeSchema, type PlanChangeItem } from '@billing/contracts/resources/plan-change';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { allDiscounts } from '@billing/processor/snapshots/subscription-discounts';
import { scopedKey } from '@billing/database/project-objects';
import { idOfMirrored } from '@billing/service/derived-id';
import { z } from 'zod';
import type { CatalogIds, CatalogObject } from '#copies/find-catalog-ids';
import type { RecordedState } from './observation.rules.ts';
import type { ChangedItem, PendingTerms } from './pending-change.rules.ts';
import type { ManagingSchedule } from './schedule.rules.ts';
import type { DiscountTerms } from './discount.rules.ts';
import type { SubscriptionTerms } from './subscription.rules.ts';
import {
  allDiscountsOf,
  pauseOf,
  taxOf,
  type RecordedSchedule,
  type StoredDiscount,
  type Subscription,
} from './subscription.entity.ts';

/** A subscription that is to be recorded for the first time. */
interface NewSubscription {
  readonly scope: ProjectScope;
  readonly snapshot: SubscriptionSnapshot;
  readonly state: RecordedState;
  readonly customerId: CustomerId;
  readonly catalogIds: CatalogIds;
  readonly now: Date;
}

/** Returns the row of a new subscription; the caller saves it. */
export function newSubscription({
  scope: { teamId, projectId },
  snapshot,
  state,
  customerId,
  catalogIds,
  now,
}: NewSubscription): Subscription {
  return {
    id: idOfMirrored(SubscriptionId, { teamId, projectId }, snapshot.id),
    teamId,
    projectId,
    customerId,
    processorSubscriptionId: snapshot.id,
    processorCustomerId: snapshot.customerId,
    ...termColumns({ teamId, projectId }, state.terms, catalogIds),
    ...sourceColumns(state),
    version: 1,
    sequence: 0,
    announcedTrialEnd: null,
    saveOffer: null,
    refusedPaymentMethod: null,
    operationKey: null,
    createdAt: snapshot.createdAt,
    updatedAt: now,
  };
}

/** Writes a new state into a row, as far as it is another than the recorded one. */
export function assignState(
  row: Subscription,
  { recorded, state }: { readonly recorded: RecordedState; readonly state: RecordedState },
  catalogIds: CatalogIds,
): void {
  if (state.terms !== recorded.terms) Object.assign(row, termColumns(row, state.terms, catalogIds, row));
  Object.assign(row, sourceColumns(state));
}

/** Returns the state that a row records. */
export function recordedState(row: Subscription): RecordedState {
  const { eventAt: at, eventRank: rank, eventId, readAt } = row;
  const terms: SubscriptionTerms = {
    status: row.status,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelAt: row.cancelAt,
    canceledAt: row.canceledAt,
    cancellation: row.cancellation,
    involuntary: row.involuntary,
    pauseCollection: pauseOf(row),
    tax: taxOf(row),
    items: row.items.map(withoutPriceId),
    discounts: allDiscountsOf(row).map(withoutIds),
    currentPeriodStart: row.currentPeriodStart,
    currentPeriodEnd: row.currentPeriodEnd,
    trialEnd: row.trialEnd,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    defaultPaymentMethodId: row.defaultPaymentMethodId,
    pendingChange: recordedPendingChange(row),
    schedule: row.schedule && managingSchedule(row.schedule),
    metadata: row.metadata,
    testClockId: row.testClockId,
  };
  const position = at && rank !== null && eventId !== null ? { at, rank, eventId } : null;
  return { terms, position, readAt };
}

/** Returns the change of a row that waits for its payment, as the processor has it. */
function recordedPendingChange(row: Pick<Subscription, 'pendingChange'>): PendingTerms | null {
  const pending = row.pendingChange && z.decode(pendingChangeSchema, row.pendingChange);
  return pending && { ...pending, items: pending.items.map(({ priceId: _ours, ...item }) => item) };
}

/** Returns what a snapshot names in the catalog: `findCatalogIds` finds our ids of that. */
export const namedInCatalog = (scope: ProjectScope, snapshot: SubscriptionSnapshot): CatalogObject[] => {
  const { items, pendingUpdate, schedule } = snapshot;
  const discounts = allDiscounts(snapshot);
  return [
    ...items.flatMap(it => named(scope, 'price', [it.price.id])),
    ...(pendingUpdate?.items ?? []).flatMap(it => named(scope, 'price', [it.priceId])),
    ...(schedule?.phases ?? []).flatMap(phase => phase.items.flatMap(it => named(scope, 'price', [it.priceId]))),
    ...discounts.flatMap(({ detail }) => named(scope, 'coupon', [detail?.couponId])),
    ...discounts.flatMap(({ detail }) => named(scope, 'promotion_code', [detail?.promotionCodeId])),
  ];
};

/** Returns what a row names in the catalog. */
export const recordedInCatalog = ({ items, discounts, ...scope }: Subscription): CatalogObject[] => [
  ...items.flatMap(it => named(scope, 'price', [it.processorPriceId])),
  ...discounts.flatMap(it => named(scope, 'coupon', [it.processorCouponId])),
  ...discounts.flatMap(it => named(scope, 'promotion_code', [it.processorPromotionCodeId])),
];

const named = (
  { teamId, projectId }: ProjectScope,
  kind: CatalogObject['kind'],
  ids: readonly (string | null | undefined)[],
): CatalogObject[] => ids.flatMap(id => (id ? [{ kind, scope: { teamId, projectId }, id }] : []));

function withoutPriceId<Item extends ChangedItem>({ priceId: _ours, ...terms }: Item & Pick<BilledItem, 'priceId'>) {
  return terms;
}

function withoutIds({ couponId: _coupon, promotionCodeId: _code, ...terms }: BilledDiscount): DiscountTerms {
  return terms;
}

function termColumns(
  { teamId, projectId }: ProjectScope,
  {
    items: itemTerms,
    discounts,
    metadata,
    pauseCollection,
    tax,
    pendingChange,
    schedule,
    ...columns
  }: SubscriptionTerms,
  catalogIds: CatalogIds,
  row: Pick<Subscription, 'schedule' | 'discounts'> = { schedule: null, discounts: [] },
) {
  const { schedule: recorded } = row;
  const scope = { teamId, projectId };
  const idIn = <Id>(ids: ReadonlyMap<string, Id>, id: string | null): Id | null =>
    (id === null ? undefined : ids.get(scopedKey({ scope, id }))) ?? null;
  const withPriceId = <Item extends ChangedItem>(item: Item) => ({
    ...item,
    priceId: idIn(catalogIds.prices, item.processorPriceId),
  });
  const items: BilledItem[] = itemTerms.map(withPriceId);
  const [first] = items;
  return {
    ...columns,
    taxAutomatic: tax.automatic,
    taxStoppedReason: tax.stoppedReason,
    pauseBehavior: pauseCollection?.behavior ?? null,
    pauseResumesAt: pauseCollection?.resumesAt ?? null,
    items,
    discounts: discounts.map((it): StoredDiscount => {
      // Another coupon may have been made under the id since.
      const known = row.discounts.find(({ processorDiscountId: id }) => id === it.processorDiscountId);
      const couponId = known?.couponId ?? idIn(catalogIds.coupons, it.processorCouponId);
      const promotionCodeId = idIn(catalogIds.promotionCodes, it.processorPromotionCodeId);
      return { ...it, couponId, promotionCodeId, endsAt: it.endsAt?.toISOString() ?? null };
    }),
    pendingChange:
      pendingChange && z.encode(pendingChangeSchema, { ...pendingChange, items: pendingChange.items.map(withPriceId) }),
    // What an event does not show anew is recorded with its ids of prices.
    schedule:
      recorded && isDeepStrictEqual(schedule, managingSchedule(recorded))
        ? recorded
        : schedule && recordable(schedule, withPriceId),
    metadata: { ...metadata },
    priceId: first?.priceId ?? null,
    quantity: first?.quantity ?? 1,
  };
}

function recordable(
  { id, change }: ManagingSchedule,
  withPriceId: (item: ChangedItem) => PlanChangeItem,
): RecordedSchedule {
  if (!change) return { id, change };
  return {
    id,
    change: { ...change, items: change.items.map(withPriceId), effectiveAt: change.effectiveAt.toISOString() },
  };
}

function managingSchedule({ id, change }: RecordedSchedule): ManagingSchedule {
  if (!change) return { id, change };
  return {
    id,
    change: { ...change, items: change.items.map(withoutPriceId), effectiveAt: new Date(change.effectiveAt) },
  };
}

const sourceColumns = ({ position, readAt }: RecordedState) => ({
  eventAt: position?.at ?? null,
  eventRank: position?.rank ?? null,
  eventId: position?.eventId ?? null,
  readAt,
});
