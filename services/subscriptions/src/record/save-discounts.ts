import type { EntityManager } from '@mikro-orm/postgresql';
import { CouponId, PromotionCodeId, type ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { saveDiscountCopies, type DiscountState, type OwnedBy } from '#copies/save-copies';
import { lockAll } from '#rows/locks';
import type { Dependencies } from '../dependencies.ts';
import type { StoredDiscount, Subscription } from './subscription.entity.ts';
import { fillRows } from './fill-rows.ts';

/** A coupon or promotion code, as an event of the catalog carries it. */
interface PublishedDiscount extends OwnedBy<DiscountState> {
  readonly trace: TraceCarrier;
}

/** Saves copies of coupons or of promotion codes, and gives their ids to subscriptions that were recorded before. */
export function saveDiscounts({ now }: Pick<Dependencies, 'now'>) {
  return async (tx: EntityManager, discounts: readonly PublishedDiscount[], publish: Publish): Promise<void> => {
    await lockAll(tx, 'discount', discounts.map(toObject));
    await saveDiscountCopies(tx, discounts);
    const byKey = new Map(discounts.map(it => [scopedKey(toObject(it)), it]));
    const waiting = await findWaiting(tx, discounts);
    await fillRows(tx, waiting, { fill: row => fillIds(row, byKey), publish, now: now() });
  };
}

/** Finds subscriptions with a discount whose coupon or promotion code had no copy. */
async function findWaiting(tx: EntityManager, discounts: readonly PublishedDiscount[]): Promise<ProjectObject[]> {
  const rows = await executeBound<ProjectScope & { readonly id: string }>(
    tx,
    `select distinct subscription.team_id as "teamId", subscription.project_id as "projectId",
            subscription.processor_subscription_id as id
       from unnest($1::text[], $2::text[], $3::text[]) as saved (team_id, project_id, id)
       join subscriptions subscription
         on subscription.team_id = saved.team_id and subscription.project_id = saved.project_id
        and (subscription.discounts @> jsonb_build_array(
               jsonb_build_object('processorCouponId', saved.id, 'couponId', null))
          or subscription.discounts @> jsonb_build_array(
               jsonb_build_object('processorPromotionCodeId', saved.id, 'promotionCodeId', null)))`,
    keyColumns(discounts.map(toObject)),
  );
  return rows.map(({ id, ...scope }) => ({ scope, id }));
}

/** Gives ids to the discounts that have none, and returns one of what was missing; undefined when nothing was. */
function fillIds(row: Subscription, saved: ReadonlyMap<string, PublishedDiscount>): PublishedDiscount | undefined {
  const { teamId, projectId } = row;
  let filled: PublishedDiscount | undefined;
  const idOf = <Id extends CouponId | PromotionCodeId>(
    known: Id | null,
    processorId: string | null,
    isOfKind: (id: CouponId | PromotionCodeId) => id is Id,
  ): Id | null => {
    const found = processorId && saved.get(scopedKey({ scope: { teamId, projectId }, id: processorId }));
    if (known !== null || !found || !isOfKind(found.state.id)) return known;
    filled = found;
    return found.state.id;
  };
  row.discounts = row.discounts.map((it): StoredDiscount => ({
    ...it,
    couponId: idOf(it.couponId, it.processorCouponId, isCouponId),
    promotionCodeId: idOf(it.promotionCodeId, it.processorPromotionCodeId, isPromotionCodeId),
  }));
  return filled;
}

const isCouponId = (id: CouponId | PromotionCodeId): id is CouponId => CouponId.schema.safeParse(id).success;
const isPromotionCodeId = (id: CouponId | PromotionCodeId): id is PromotionCodeId =>
  PromotionCodeId.schema.safeParse(id).success;

const toObject = ({ teamId, state }: PublishedDiscount): ProjectObject => ({
  scope: { teamId, projectId: state.projectId },
  id: state.processorId,
});
