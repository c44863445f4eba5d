import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { z } from 'zod';
import type { RevenuePeriod } from '#domain/revenue-periods.ts';

/** A subscription of a project. */
export interface SubscriptionKey extends ProjectScope {
  readonly id: string;
}

/**
 * A period as stored: `[first version, last version, recorded, started, ended, revenue]`; times are milliseconds since
 * 1970, and numerators text, as they can exceed the numbers of JSON.
 */
const storedPeriod = z
  .tuple([z.int(), z.int(), z.int(), z.int(), z.int().nullable(), z.array(z.tuple([z.string(), z.int(), z.string()]))])
  .transform(([firstVersion, lastVersion, recorded, started, ended, revenue]): RevenuePeriod => ({
    firstVersion,
    lastVersion,
    recordedAt: new Date(recorded),
    startedAt: new Date(started),
    endedAt: ended === null ? null : new Date(ended),
    revenue: revenue.map(([currency, intervalCount, numerator]) => ({
      currency,
      intervalCount,
      numerator: BigInt(numerator),
    })),
  }));
const storedPeriods = z.array(storedPeriod);

const toStored = (period: RevenuePeriod): z.input<typeof storedPeriod> => [
  period.firstVersion,
  period.lastVersion,
  period.recordedAt.getTime(),
  period.startedAt.getTime(),
  period.endedAt?.getTime() ?? null,
  period.revenue.map(({ currency, intervalCount, numerator }) => [currency, intervalCount, `${numerator}`]),
];

interface Row {
  readonly project_id: ProjectId;
  readonly subscription_id: string;
  readonly periods: unknown;
}

/** Reads the revenue periods of those subscriptions that have any, by `subscriptionKey`. */
export async function readRevenuePeriods(
  tx: EntityManager,
  keys: readonly SubscriptionKey[],
): Promise<Map<string, readonly RevenuePeriod[]>> {
  if (keys.length === 0) return new Map();
  const rows = await executeBound<Row>(
    tx,
    `select r.project_id, r.subscription_id, r.periods
       from jsonb_to_recordset($1::jsonb) as k ("teamId" text, "projectId" text, id text)
       join revenue_periods r on r.team_id = k."teamId" and r.project_id = k."projectId" and r.subscription_id = k.id`,
    [JSON.stringify(keys.map(({ teamId, projectId, id }) => ({ teamId, projectId, id })))],
  );
  return new Map(
    rows.map(row => [
      subscriptionKey({ projectId: row.project_id, id: row.subscription_id }),
      storedPeriods.parse(row.periods),
    ]),
  );
}

/** Identifies a subscription. The team is left out, as no two teams share a project id. */
export const subscriptionKey = ({ projectId, id }: { readonly projectId: string; readonly id: string }): string =>
  `${projectId} ${id}`;

/** Saves the revenue periods of subscriptions in the caller's transaction, which must have locked their projects. */
export async function saveRevenuePeriods(
  tx: EntityManager,
  subscriptions: readonly (SubscriptionKey & { readonly periods: readonly RevenuePeriod[] })[],
): Promise<void> {
  if (subscriptions.length === 0) return;
  const rows = subscriptions.map(({ teamId, projectId, id, periods }) => ({
    teamId,
    projectId,
    id,
    periods: periods.map(toStored),
  }));
  await executeBound(
    tx,
    `insert into revenue_periods (team_id, project_id, subscription_id, periods)
     select "teamId", "projectId", id, periods
       from jsonb_to_recordset($1::jsonb) as it ("teamId" text, "projectId" text, id text, periods jsonb)
     on conflict (team_id, project_id, subscription_id) do update set periods = excluded.periods`,
    [JSON.stringify(rows)],
  );
}
