import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, SubscriptionId } from '@billing/contracts/ids';
import type { RevenueTerm } from '@billing/contracts/item-revenue';
import { skipped, type Page } from '@billing/contracts/pagination';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { placeBefore } from '@billing/database/cursors';
import { MOVEMENT_PREFIX, parseMovementMetric, type Contribution } from '#domain/metrics.ts';
import type { MovementTerm } from '#domain/revenue-history.ts';
import type { UtcDay } from '#domain/utc-day.ts';
import { numberColumn, textColumn } from './columns.ts';
import type { GenerationScope } from './projects.ts';
import type { RecordKey } from './tracked-records.ts';

/** A change of what a subscription adds to a movement of revenue. */
export interface SubscriptionMovementChange {
  readonly key: RecordKey;
  readonly change: Contribution;
}

/** Adds to movements of subscriptions in the caller's transaction, which must have locked their projects. */
export async function addToSubscriptionMovements(
  tx: EntityManager,
  changes: readonly SubscriptionMovementChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await executeBound(
    tx,
    `insert into subscription_movements as m (team_id, project_id, generation, metric, day, subscription_id, amount)
     select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::numeric[])
     on conflict (team_id, project_id, generation, metric, day, subscription_id) do update
        set amount = m.amount + excluded.amount`,
    [
      textColumn(changes, ({ key }) => key.teamId),
      textColumn(changes, ({ key }) => key.projectId),
      numberColumn(changes, ({ key }) => key.generation),
      textColumn(changes, ({ change }) => change.metric),
      textColumn(changes, ({ change }) => change.bucket),
      textColumn(changes, ({ key }) => key.id),
      `{${changes.map(({ change }) => change.amount).join(',')}}`,
    ],
  );
}

/** Days of movements, both included. */
export interface Days {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

/** Reads the sums of all movements on some days; the number of rows does not depend on the project's size. */
export async function readMovements(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  { from, to }: Days,
): Promise<readonly (Omit<MovementTerm, 'day'> & { readonly metric: string })[]> {
  const rows = await em.execute<{ metric: string; amount: string }[]>(
    `select metric, sum(amount)::text as amount from metrics
      where team_id = ? and project_id = ? and generation = ? and metric like '${MOVEMENT_PREFIX}%'
        and bucket >= ? and bucket <= ? group by metric`,
    [teamId, projectId, generation, from, to],
  );
  return rows.flatMap(({ metric, amount }) => {
    const term = parseMovementMetric(metric, BigInt(amount));
    return term ? [{ ...term, metric }] : [];
  });
}

/** A subscription behind a movement. */
export interface MovedSubscription {
  readonly id: SubscriptionId;
  readonly customerId: CustomerId;
  readonly status: SubscriptionStatus;
  /** The start of the day of its last movement. */
  readonly at: string;
  /** What it adds to each metric. */
  readonly terms: readonly (readonly [metric: string, amount: string])[];
}

/** Which subscriptions are listed: those that these movements are of, on some days. */
export interface MovedFilter extends Days {
  readonly movements: readonly (RevenueTerm & { readonly metric: string })[];
  /** Whether the movements must not cancel out; amounts of different divisors are made comparable by weights. */
  readonly isLeft: boolean;
}

const MOVED = `
  from subscription_movements join unnest($4::text[], $5::numeric[]) as wanted (metric, weight) using (metric)
 where team_id = $1 and project_id = $2 and generation = $3 and day >= $6::text and day <= $7::text and amount <> 0
 group by subscription_id having (not $8::boolean or sum(amount * weight) <> 0)`;

function valuesOf({ teamId, projectId, generation }: GenerationScope, { movements, from, to, isLeft }: MovedFilter) {
  const product = [...new Set(movements.map(({ divisor }) => divisor))].reduce((all, one) => all * BigInt(one), 1n);
  const metrics = textArray(movements.map(({ metric }) => metric));
  const weights = `{${movements.map(({ divisor }) => product / BigInt(divisor)).join(',')}}`;
  return [teamId, projectId, generation, metrics, weights, from, to, isLeft];
}

/** Lists a page of the subscriptions that moved, the last movement first. Reads the movements of the days. */
export async function listMoved(
  em: EntityManager,
  scope: GenerationScope,
  filter: MovedFilter,
  page: Page,
): Promise<readonly MovedSubscription[]> {
  if (filter.movements.length === 0) return [];
  const place = placeBefore(page);
  return executeBound<MovedSubscription>(
    em,
    `select r.id, r.customer_id as "customerId", r.status, m.terms, m.day || 'T00:00:00Z' as at
       from (select subscription_id, max(day) as day, json_agg(json_build_array(metric, amount::text)) as terms ${MOVED}
                and ($11::text is null or max(day) < $11 or max(day) = $11 and subscription_id > $12)
              order by max(day) desc, subscription_id limit $9 offset $10) m
       join tracked_records r on r.team_id = $1 and r.kind = 'subscription' and r.id = m.subscription_id
        and r.project_id = $2 and r.generation = $3
      order by m.day desc, r.id`,
    [...valuesOf(scope, filter), page.limit + 1, skipped(page), place?.at.slice(0, 10) ?? null, place?.id ?? null],
  );
}

/** Counts the subscriptions that `listMoved` lists on all pages together. */
export async function countMoved(em: EntityManager, scope: GenerationScope, filter: MovedFilter): Promise<bigint> {
  if (filter.movements.length === 0) return 0n;
  const [row] = await executeBound<{ count: string }>(
    em,
    `select count(*) as count from (select subscription_id ${MOVED}) moved`,
    valuesOf(scope, filter),
  );
  return BigInt(row?.count ?? 0);
}
