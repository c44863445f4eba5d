import type { EntityManager } from '@mikro-orm/postgresql';
import { Invoice } from '#persistence/invoice.entity.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';
import { tellInvoice } from './tell-invoice.ts';

/** Gives the invoices that came before their subscription its id. The caller holds the subscription's lock. */
export async function linkInvoices(tx: EntityManager, subscription: Subscription): Promise<void> {
  const { teamId, projectId, processorSubscriptionId } = subscription;
  const early = await tx.find(Invoice, { teamId, projectId, processorSubscriptionId, subscriptionId: null });
  for (const invoice of early) {
    invoice.subscriptionId = subscription.id;
    tellInvoice(tx, invoice);
  }
}
