import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { Invoice } from '#persistence/invoice.entity.ts';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import { lockAll } from '#persistence/locks.ts';
import { toProjectObject } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import { told, type Source } from './tell-tenants.ts';

/** Finds the invoices that came before their subscriptions, and locks them. The caller holds the subscriptions' locks. */
export async function lockWaitingInvoices(
  tx: EntityManager,
  subscriptions: readonly ProjectObject[],
): Promise<readonly Invoice[]> {
  if (subscriptions.length === 0) return [];
  const found = await executeBound<ProjectScope & { readonly id: string }>(
    tx,
    `select invoice.team_id as "teamId", invoice.project_id as "projectId", invoice.processor_invoice_id as id
       from unnest($1::text[], $2::text[], $3::text[]) as subscription (team_id, project_id, processor_id)
       join invoices invoice
         on invoice.processor_subscription_id = subscription.processor_id
        and (invoice.team_id, invoice.project_id) is not distinct from (subscription.team_id, subscription.project_id)
      where invoice.subscription_id is null`,
    [
      subscriptions.map(({ scope }) => scope.teamId),
      subscriptions.map(({ scope }) => scope.projectId),
      subscriptions.map(({ id }) => id),
    ],
  );
  const waiting = found.map(({ id, ...scope }) => ({ scope, id }));
  await lockAll(tx, 'invoice', waiting);
  return [...(await invoiceRows.find(tx, waiting)).values()];
}

/** A subscription that was recorded, and why. */
export interface RecordedSubscription {
  readonly row: Subscription;
  readonly source: Source;
}

/** Gives waiting invoices the ids of the subscriptions that are recorded now. */
export async function linkInvoices(
  tx: EntityManager,
  waiting: readonly Invoice[],
  recorded: readonly RecordedSubscription[],
  { publish, now }: { readonly publish: Publish; readonly now: Date },
): Promise<void> {
  const byKey = new Map(recorded.map(one => [scopedKey(toProjectObject(one.row)), one]));
  const linked: Invoice[] = [];
  for (const invoice of waiting) {
    const { processorSubscriptionId: id } = invoice;
    const subscription = id === null ? undefined : byKey.get(scopedKey({ scope: invoice, id }));
    if (!subscription) continue;
    const before = told.invoice.toJson(invoice);
    invoice.subscriptionId = subscription.row.id;
    invoice.version += 1;
    told.invoice.tell(publish, invoice, { before, now, ...subscription.source });
    linked.push(invoice);
  }
  await invoiceRows.save(tx, linked);
}
