import type { EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import type { Subscription } from './subscription.entity.ts';

/** Gives invoices that came before their subscriptions the ids of these. The caller holds the subscriptions' locks. */
export async function linkInvoices(tx: EntityManager, subscriptions: readonly Subscription[]): Promise<void> {
  if (subscriptions.length === 0) return;
  await executeBound(
    tx,
    `update invoices invoice
        set subscription_id = subscription.id, version = invoice.version + 1, updated_at = clock_timestamp()
       from unnest($1::text[], $2::text[], $3::text[], $4::text[])
              as subscription (team_id, project_id, processor_id, id)
      where invoice.processor_subscription_id = subscription.processor_id
        and (invoice.team_id, invoice.project_id) is not distinct from (subscription.team_id, subscription.project_id)
        and invoice.subscription_id is null`,
    [
      subscriptions.map(it => it.teamId),
      subscriptions.map(it => it.projectId),
      subscriptions.map(it => it.processorSubscriptionId),
      subscriptions.map(it => it.id),
    ],
  );
}
