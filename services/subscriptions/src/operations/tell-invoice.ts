import type { EntityManager } from '@mikro-orm/postgresql';
import { InvoiceUpdated } from '@billing/contracts/events/subscriptions';
import { record } from '@billing/messaging/outbox';
import type { Invoice } from '#persistence/invoice.entity.ts';
import { toResource } from '#wire/invoice.ts';

/** Says that an invoice has changed, its first appearance included. */
export function tellInvoice(tx: EntityManager, invoice: Invoice): void {
  invoice.version += 1;
  invoice.updatedAt = new Date();
  record(tx, InvoiceUpdated, invoice.teamId, { ...toResource(invoice), version: invoice.version });
}
