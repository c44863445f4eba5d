import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceMigrationId, ProjectScope, SubscriptionChangeId, SubscriptionId } from '@billing/contracts/ids';
import type { MigrationCounts, MigrationOutcome } from '@billing/contracts/resources/price-migration';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import type { SyncError } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { Subscription } from '#record/subscription.entity';
import type { MigrationDecision } from './price-migration.rules.ts';
import type { PriceMigration } from './price-migration.entity.ts';

type Migration = Pick<PriceMigration, 'id' | 'teamId' | 'projectId' | 'fromProcessorPriceId' | 'filter'>;

/** Finds subscriptions of a migration's price that have not ended, in the order of their creation. */
export async function findToMigrate(
  em: EntityManager,
  { teamId, projectId, fromProcessorPriceId, filter }: Migration,
  { after, limit }: { readonly after: SubscriptionId | null; readonly limit: number },
): Promise<Subscription[]> {
  const rows = em
    .createQueryBuilder(Subscription)
    .where({ teamId, projectId, status: { $nin: [...ENDED_STATUSES] } })
    .andWhere('items @> ?::jsonb', [JSON.stringify([{ processorPriceId: fromProcessorPriceId }])])
    .andWhere('metadata @> ?::jsonb', [JSON.stringify(filter.metadata)]);
  if (filter.createdBefore !== null) rows.andWhere('created_at < ?', [filter.createdBefore]);
  // The time is read in SQL: PostgreSQL stores microseconds, which a Date would cut off.
  if (after !== null)
    rows.andWhere('(created_at, id) > ((select created_at from subscriptions where id = ?), ?)', [after, after]);
  return rows.orderBy({ createdAt: 'asc', id: 'asc' }).limit(limit).getResultList();
}

interface Decided {
  readonly subscription: Pick<Subscription, 'id' | 'customerId' | 'createdAt'>;
  readonly decision: MigrationDecision;
}

/** Saves what is decided on subscriptions, unless one of them is scheduled already. */
export async function saveDecisions(
  em: EntityManager,
  { id, teamId, projectId }: Migration,
  decided: readonly Decided[],
): Promise<void> {
  if (decided.length === 0) return;
  const rows = decided.map(({ subscription, decision }) => {
    return {
      ...decision,
      subscriptionId: subscription.id,
      customerId: subscription.customerId,
      createdAt: subscription.createdAt,
    };
  });
  await executeBound(
    em,
    `insert into migrated_subscriptions as found
            (migration_id, team_id, project_id, subscription_id, customer_id, currency, old_amount, new_amount,
             effective_at, outcome, reason, attempts, created_at)
     select $1, $2, $3, "subscriptionId", "customerId", currency, "oldAmount", "newAmount", "effectiveAt", outcome, reason,
            0, "createdAt"
       from json_to_recordset($4::json) as
            decided ("subscriptionId" text, "customerId" text, currency text, "oldAmount" text, "newAmount" text,
                     "effectiveAt" timestamptz, outcome text, reason text, "createdAt" timestamptz)
     on conflict (migration_id, subscription_id) do update
        set currency = excluded.currency, old_amount = excluded.old_amount, new_amount = excluded.new_amount,
            effective_at = excluded.effective_at, outcome = excluded.outcome, reason = excluded.reason
      where found.outcome = 'to_change'`,
    [id, teamId, projectId, JSON.stringify(rows)],
  );
}

/** Finds subscriptions that a migration has to change, those first that failed the least. */
export const findToChange = async (
  em: EntityManager,
  { id }: Pick<Migration, 'id'>,
  limit: number,
): Promise<readonly SubscriptionId[]> =>
  (
    await executeBound<{ subscription_id: SubscriptionId }>(
      em,
      `select subscription_id from migrated_subscriptions
        where migration_id = $1 and outcome = 'to_change' order by attempts, subscription_id limit $2`,
      [id, limit],
    )
  ).map(row => row.subscription_id);

interface Migrated {
  readonly migrationId: PriceMigrationId;
  readonly subscriptionId: SubscriptionId;
}

/** Locks what is decided on a subscription until the transaction ends; returns whether it has to be changed. */
export async function lockToChange(tx: EntityManager, { migrationId, subscriptionId }: Migrated): Promise<boolean> {
  const rows = await executeBound(
    tx,
    `select 1 from migrated_subscriptions
      where migration_id = $1 and subscription_id = $2 and outcome = 'to_change' for update`,
    [migrationId, subscriptionId],
  );
  return rows.length > 0;
}

/** Records the change that a migration has scheduled, in the transaction that ends the operation. */
export async function markScheduled(
  tx: EntityManager,
  { migrationId, subscriptionId }: Migrated,
  { id, effectiveAt }: { readonly id: SubscriptionChangeId; readonly effectiveAt: Date | null },
): Promise<void> {
  await executeBound(
    tx,
    `update migrated_subscriptions
        set outcome = 'scheduled', change_id = $3, effective_at = coalesce($4, effective_at), reason = null, error = null
      where migration_id = $1 and subscription_id = $2`,
    [migrationId, subscriptionId, id, effectiveAt],
  );
}

/** Records why a subscription was not changed; one that is scheduled stays so. */
export async function markUnchanged(
  em: EntityManager,
  { migrationId, subscriptionId }: Migrated,
  why: { readonly reason: MigrationDecision['reason'] } | { readonly error: SyncError },
): Promise<void> {
  const [outcome, reason, error] = 'reason' in why ? ['skipped', why.reason, null] : ['failed', null, why.error];
  await executeBound(
    em,
    `update migrated_subscriptions
        set outcome = $3, reason = $4, error = $5::jsonb, new_amount = null, effective_at = null
      where migration_id = $1 and subscription_id = $2 and outcome = 'to_change'`,
    [migrationId, subscriptionId, outcome, reason, error && JSON.stringify(error)],
  );
}

/** Counts a failure that passes; returns how many there were. */
export async function countFailure(em: EntityManager, { migrationId, subscriptionId }: Migrated): Promise<number> {
  const [row] = await executeBound<{ attempts: number }>(
    em,
    `update migrated_subscriptions set attempts = attempts + 1
      where migration_id = $1 and subscription_id = $2 returning attempts`,
    [migrationId, subscriptionId],
  );
  return row?.attempts ?? 0;
}

/** Counts the subscriptions of a migration by outcome. */
export async function countMigrated(em: EntityManager, { id }: Pick<Migration, 'id'>): Promise<MigrationCounts> {
  const rows = await executeBound<{ outcome: MigrationOutcome; count: number }>(
    em,
    `select outcome, count(*)::int as count from migrated_subscriptions where migration_id = $1 group by outcome`,
    [id],
  );
  const counts: MigrationCounts = { to_change: 0, scheduled: 0, skipped: 0, failed: 0 };
  for (const { outcome, count } of rows) counts[outcome] = count;
  return counts;
}

/** Finds subscriptions of a project by id. */
export const findByIds = (
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  ids: readonly SubscriptionId[],
): Promise<Subscription[]> => em.find(Subscription, { teamId, projectId, id: { $in: [...ids] } });
