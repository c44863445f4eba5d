import type { EntityManager } from '@mikro-orm/postgresql';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { Source } from '@billing/service/save-record';
import { toProjectObject } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import { toState, type Invoice } from './invoice.entity.ts';
import { saveInvoices, type SavedInvoice } from './save.ts';
import { invoiceRows } from './invoice-rows.ts';

/** Finds the invoices that came before their subscriptions, and locks them. The caller holds the subscriptions' locks. */
export async function lockWaitingInvoices(
  tx: EntityManager,
  subscriptions: readonly ProjectObject[],
): Promise<readonly Invoice[]> {
  const naming = await invoiceRows.findNaming(tx, 'processorSubscriptionId', subscriptions);
  const invoices = naming.map(({ recorded }) => recorded);
  await invoiceRows.lock(tx, invoices);
  return [...(await invoiceRows.find(tx, invoices)).values()].filter(({ subscriptionId }) => subscriptionId === null);
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
  const linked: SavedInvoice[] = [];
  for (const invoice of waiting) {
    const { processorSubscriptionId: id } = invoice;
    const subscription = id === null ? undefined : byKey.get(scopedKey({ scope: invoice, id }));
    if (!subscription) continue;
    const before = toState(invoice);
    invoice.subscriptionId = subscription.row.id;
    linked.push({ row: invoice, before, source: subscription.source });
  }
  await saveInvoices(tx, publish, linked, now);
}
