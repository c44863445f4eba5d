import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { lockAll } from './locks.ts';

/** Our ids of the processor's prices, by `scopedKey`. */
export type PriceIds = ReadonlyMap<string, PriceId>;

/**
 * Finds our ids of the processor's prices, deleted ones too. A price that was made outside of this service may have none.
 *
 * A price without a copy is locked until the transaction ends. Otherwise, if its copy is saved at the same time, neither
 * transaction sees the other, and the subscription never gets the price's id.
 */
export async function findPriceIds(tx: EntityManager, prices: readonly ProjectObject[]): Promise<PriceIds> {
  const wanted = [...new Map(prices.map(price => [scopedKey(price), price])).values()];
  const found = await findKnownPriceIds(tx, wanted);
  const missing = wanted.filter(price => !found.has(scopedKey(price)));
  if (missing.length === 0) return found;
  await lockAll(tx, 'price', missing, { shared: true });
  return new Map([...found, ...(await findKnownPriceIds(tx, missing))]);
}

/**
 * Finds our ids of the processor's prices, as far as there are copies. Of two copies with the same processor id, one that is
 * not deleted comes first.
 */
export async function findKnownPriceIds(em: EntityManager, wanted: readonly ProjectObject[]): Promise<PriceIds> {
  if (wanted.length === 0) return new Map();
  const rows = await executeBound<{ place: number; id: PriceId }>(
    em,
    `select wanted.place::int, found.id
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality
              as wanted (team_id, project_id, processor_price_id, place)
       cross join lateral (
         select price.id from price_copies price
          where price.team_id = wanted.team_id and price.project_id = wanted.project_id
            and price.processor_price_id = wanted.processor_price_id
          order by price.deleted_at desc nulls first, price.id desc
          limit 1) found`,
    keyColumns(wanted),
  );
  return new Map(
    rows.flatMap(({ place, id }) => {
      const price = wanted[place - 1];
      return price ? [[scopedKey(price), id] as const] : [];
    }),
  );
}
