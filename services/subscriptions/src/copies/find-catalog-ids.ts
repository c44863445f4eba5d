import type { EntityManager } from '@mikro-orm/postgresql';
import type { CouponId, PriceId, ProjectScope, PromotionCodeId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { lockAll } from '#rows/locks';
import type { DiscountKind } from './catalog-copies.entity.ts';

/** A price, coupon or promotion code of the processor. */
export interface CatalogObject extends ProjectObject {
  readonly kind: 'price' | DiscountKind;
}

/** Our ids of the processor's objects, by `scopedKey`. */
export interface CatalogIds {
  readonly prices: ReadonlyMap<string, PriceId>;
  readonly coupons: ReadonlyMap<string, CouponId>;
  readonly promotionCodes: ReadonlyMap<string, PromotionCodeId>;
}

const COPIES: Readonly<Record<CatalogObject['kind'], string>> = {
  price: 'price_copies copy where copy.processor_price_id = wanted.processor_id',
  coupon: `discount_copies copy where copy.kind = 'coupon' and copy.processor_id = wanted.processor_id`,
  promotion_code: `discount_copies copy where copy.kind = 'promotion_code' and copy.processor_id = wanted.processor_id`,
};

/**
 * Finds our ids of the processor's prices, coupons and promotion codes, deleted ones too. One that was made outside of this
 * service may have none.
 *
 * What has no copy is locked until the transaction ends. Otherwise, if its copy is saved at the same time, neither
 * transaction sees the other, and the subscription never gets the id.
 */
export async function findCatalogIds(tx: EntityManager, objects: readonly CatalogObject[]): Promise<CatalogIds> {
  const find = async <Id extends string>(wanted: CatalogObject['kind']): Promise<ReadonlyMap<string, Id>> => {
    const ofKind = objects.filter(({ kind }) => kind === wanted);
    const found = await findKnown<Id>(tx, wanted, ofKind);
    const missing = ofKind.filter(object => !found.has(scopedKey(object)));
    if (missing.length === 0) return found;
    await lockAll(tx, wanted === 'price' ? 'price' : 'discount', missing, { shared: true });
    return new Map([...found, ...(await findKnown<Id>(tx, wanted, missing))]);
  };
  return {
    prices: await find<PriceId>('price'),
    coupons: await find<CouponId>('coupon'),
    promotionCodes: await find<PromotionCodeId>('promotion_code'),
  };
}

/** Finds our ids of a project's prices at the processor, as far as there are copies, by the processor's id. */
export async function findKnownPriceIds(
  em: EntityManager,
  scope: ProjectScope,
  processorIds: readonly string[],
): Promise<ReadonlyMap<string, PriceId>> {
  const objects = processorIds.map(id => ({ scope, id }));
  const found = await findKnown<PriceId>(em, 'price', objects);
  return new Map(
    objects.flatMap(object => {
      const priceId = found.get(scopedKey(object));
      return priceId ? [[object.id, priceId] as const] : [];
    }),
  );
}

/** Of two copies with the same processor id, one that is not deleted comes first. */
async function findKnown<Id extends string>(
  em: EntityManager,
  kind: CatalogObject['kind'],
  objects: readonly ProjectObject[],
): Promise<ReadonlyMap<string, Id>> {
  const wanted = [...new Map(objects.map(object => [scopedKey(object), object])).values()];
  if (wanted.length === 0) return new Map();
  const rows = await executeBound<{ place: number; id: Id }>(
    em,
    `select wanted.place::int, found.id
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality
              as wanted (team_id, project_id, processor_id, place)
       cross join lateral (
         select copy.id from ${COPIES[kind]}
            and copy.team_id = wanted.team_id and copy.project_id = wanted.project_id
          order by copy.deleted_at desc nulls first, copy.id desc
          limit 1) found`,
    keyColumns(wanted),
  );
  return new Map(
    rows.flatMap(({ place, id }) => {
      const object = wanted[place - 1];
      return object ? [[scopedKey(object), id] as const] : [];
    }),
  );
}
