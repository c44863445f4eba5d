import type { EntityManager } from '@mikro-orm/postgresql';
import type { CountSubscriptionsOfPrices } from '@billing/contracts/rpc/catalog';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { executeBound } from '@billing/database/bound-statement';
import type { z } from 'zod';

/** Counts the subscriptions of each price that have not ended; prices without any are left out. */
export function countOfPrices(em: EntityManager) {
  return async ({
    teamId,
    projectId,
    priceIds,
  }: z.output<typeof CountSubscriptionsOfPrices.request>): Promise<Record<string, number>> => {
    const rows = await executeBound<{ id: string; count: number }>(
      em.fork(),
      `select p.id, count(*)::int as count
         from price_copies p
         join subscriptions s on s.team_id = p.team_id and s.project_id = p.project_id
          and s.items @> jsonb_build_array(jsonb_build_object('processorPriceId', p.processor_price_id))
        where p.team_id = $1 and p.project_id = $2 and p.id = any($3) and s.status <> all($4)
        group by p.id`,
      [teamId, projectId, priceIds, [...ENDED_STATUSES]],
    );
    return Object.fromEntries(rows.map(({ id, count }) => [id, count]));
  };
}
