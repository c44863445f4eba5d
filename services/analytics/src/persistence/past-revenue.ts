import type { EntityManager } from '@mikro-orm/postgresql';
import type { Page } from '@billing/contracts/pagination';
import { executeBound, textArray } from '@billing/database/bound-statement';
import type { RevenueTerm } from '#domain/revenue.ts';
import type { UtcDay } from '#domain/utc-day.ts';
import type { GenerationScope } from './projects.ts';
import type { MovedSubscription } from './subscription-movements.ts';

/** Sums of movements of one currency until a day, with the metric of each. */
export type MovementSum = RevenueTerm & { readonly metric: string };

/** What is left of a subscription's movements; amounts of different divisors are made comparable by their weights. */
const EARNING = `
  from subscription_movements join unnest($4::text[], $5::numeric[]) as wanted (metric, weight) using (metric)
 where team_id = $1 and project_id = $2 and generation = $3 and day <= $6::text
 group by subscription_id having sum(amount * weight) <> 0`;

/** Lists a page of the subscriptions that had revenue at the end of a day, the last movement first. Reads all movements until then. */
export async function listEarning(
  em: EntityManager,
  scope: GenerationScope,
  movements: readonly MovementSum[],
  day: UtcDay,
  { limit, offset }: Page,
): Promise<readonly MovedSubscription[]> {
  if (movements.length === 0) return [];
  return executeBound<MovedSubscription>(
    em,
    `select r.id, r.customer_id as "customerId", r.status, m.terms
       from (select subscription_id, max(day) as day, json_agg(json_build_array(metric, amount::text)) as terms ${EARNING}
              order by max(day) desc, subscription_id limit $7 offset $8) m
       join tracked_records r on r.team_id = $1 and r.kind = 'subscription' and r.id = m.subscription_id
        and r.project_id = $2 and r.generation = $3
      order by m.day desc, r.id`,
    [...valuesOf(scope, movements, day), limit, offset],
  );
}

/** Counts the subscriptions that `listEarning` lists on all pages together. */
export async function countEarning(
  em: EntityManager,
  scope: GenerationScope,
  movements: readonly MovementSum[],
  day: UtcDay,
): Promise<bigint> {
  if (movements.length === 0) return 0n;
  const [row] = await executeBound<{ count: string }>(
    em,
    `select count(*) as count from (select subscription_id ${EARNING}) earning`,
    valuesOf(scope, movements, day),
  );
  return BigInt(row?.count ?? 0);
}

function valuesOf({ teamId, projectId, generation }: GenerationScope, movements: readonly MovementSum[], day: UtcDay) {
  const product = [...new Set(movements.map(({ divisor }) => divisor))].reduce((all, one) => all * BigInt(one), 1n);
  const weights = movements.map(({ divisor }) => product / BigInt(divisor));
  return [
    teamId,
    projectId,
    generation,
    textArray(movements.map(({ metric }) => metric)),
    `{${weights.join(',')}}`,
    day,
  ];
}
