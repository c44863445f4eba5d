import type { EntityManager } from '@mikro-orm/postgresql';
import {
  SubscriptionChangeId,
  type PriceMigrationId,
  type ProjectScope,
  type SubscriptionId,
} from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { derivedId } from '@billing/service/derived-id';

/** The id of a change follows from its operation key, so that a repeat finds it again. */
export const changeIdOf = (operationKey: string): SubscriptionChangeId =>
  derivedId(SubscriptionChangeId, operationKey, 'plan-change');

/** The operation key of the change that a price migration makes of a subscription. */
export const migrationKey = (migrationId: PriceMigrationId, subscriptionId: SubscriptionId): string =>
  `${migrationId}:${subscriptionId}`;

/** Returns the subscriptions whose change a price migration has scheduled: its id shows that, for findings are deleted. */
export async function findMigrating(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  changes: readonly { readonly subscriptionId: SubscriptionId; readonly changeId: SubscriptionChangeId }[],
): Promise<ReadonlySet<SubscriptionId>> {
  if (changes.length === 0) return new Set();
  const migrations = await executeBound<{ id: PriceMigrationId }>(
    em,
    `select id from price_migrations where team_id = $1 and project_id = $2 and mode = 'apply'`,
    [teamId, projectId],
  );
  const migrating = changes.filter(({ subscriptionId, changeId }) =>
    migrations.some(({ id }) => changeIdOf(migrationKey(id, subscriptionId)) === changeId),
  );
  return new Set(migrating.map(({ subscriptionId }) => subscriptionId));
}
