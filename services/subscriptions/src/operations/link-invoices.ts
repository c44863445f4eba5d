import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { Invoice } from '#persistence/invoice.entity.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import { markChanged } from './record-invoice.ts';

/** Gives the invoices that came before their subscriptions their ids. The caller holds the subscriptions' locks. */
export async function linkInvoices(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const ids = new Map(subscriptions.map(it => [it.processorSubscriptionId, it.id]));
  if (ids.size === 0) return;
  const processorSubscriptionId = { $in: [...ids.keys()] };
  const early = await tx.find(Invoice, { teamId, projectId, processorSubscriptionId, subscriptionId: null });
  for (const invoice of early) {
    invoice.subscriptionId = ids.get(invoice.processorSubscriptionId ?? '');
    markChanged(invoice);
  }
}
