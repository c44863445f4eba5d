import { AuditEntryId, type SubscriptionId } from '@billing/contracts/ids';
import { planChange } from '@billing/contracts/resources/plan-change';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import { isRefused } from '@billing/processor/errors';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { changesOf } from '@billing/service/audit';
import { pendingAuditOf } from '@billing/service/audited-operation';
import { derivedId } from '@billing/service/derived-id';
import { findSubscription } from '#record/subscription-rows';
import { toResource } from '#record/subscription.entity';
import { migrationKey } from '#plan-changes/change-ids';
import { changePlanKind } from '#plan-changes/change-plan';
import { prepareChange } from '#plan-changes/prepare';
import type { Dependencies } from '../dependencies.ts';
import { openSubscriptionsOperationLog } from '../open-operation-log.ts';
import { requireMovable } from './price-migration.rules.ts';
import { lockToChange } from './migrated-subscriptions.ts';
import type { PriceMigration } from './price-migration.entity.ts';

interface Parts extends Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'logger' | 'now'> {
  /** Plan the changes, and may remember prices meanwhile; `processors` unless given. */
  readonly planning?: TeamProcessors;
}

class AlreadyMigrated extends Error {}

/**
 * Schedules the change of a subscription to the price of a migration, as a request would. However often it is called, the change
 * is scheduled once: what the migration has found says so from the transaction on that saves the change.
 * @throws `NotMovable`; Problem what `changePlan` throws
 */
export function migrateSubscription({ planning, ...dependencies }: Parts) {
  const { em, processors } = dependencies;
  const kind = changePlanKind({ ...dependencies, processors: planning ?? processors });
  const prepare = prepareChange(dependencies);
  // Its calls keep the pace of the migration.
  const operationLog = openSubscriptionsOperationLog(dependencies);

  return async (migration: PriceMigration, subscriptionId: SubscriptionId): Promise<void> => {
    const { id: migrationId, teamId, projectId, toPriceId: priceId, fromProcessorPriceId, context } = migration;
    const scope = { teamId, projectId };
    const promotionCode = migration.keepDiscounts ? {} : { promotionCode: null };
    const wanted = withPriceIds(planChange).parse({ priceId, when: 'period_end', proration: 'none', ...promotionCode });
    const operationKey = migrationKey(migrationId, subscriptionId);
    const { processorSubscriptionId } = await findSubscription(em.fork(), scope, { id: subscriptionId });
    // What an earlier run has logged is finished.
    const find = async () => null;
    try {
      await operationLog.perform(kind, scope, { resourceId: subscriptionId, operationKey, find }, async tx => {
        if (!(await lockToChange(tx, { migrationId, subscriptionId }))) throw new AlreadyMigrated();
        const current = await findSubscription(tx, scope, { id: subscriptionId });
        const changes = changesOf(toResource(current), { priceId, ...promotionCode });
        const entry = { ...context, id: derivedId(AuditEntryId, operationKey, 'audit-entry') };
        const audit = pendingAuditOf(entry, { target: { type: 'subscription', id: subscriptionId }, changes });
        const moved = { migrationId, fromProcessorPriceId };
        return { subscriptionId, processorSubscriptionId, wanted, decision: null, migration: moved, audit };
      });
    } catch (err) {
      if (err instanceof AlreadyMigrated) return;
      // What refused it may be known by now: that the price was archived since it was read, for example.
      if (isRefused(err))
        await prepare(scope, { id: subscriptionId }, wanted, it => requireMovable(it, fromProcessorPriceId));
      throw err;
    }
  };
}
