import type { EntityManager } from '@mikro-orm/postgresql';
import type { InvoiceId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { Invoice } from '#persistence/invoice.entity.ts';

/**
 * Finds an invoice of the project.
 * @throws Problem 404 `invoice_not_found`
 */
export async function findInvoice(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: InvoiceId,
): Promise<Invoice> {
  const where = { teamId, projectId, id };
  return em.findOneOrFail(Invoice, where, { disableIdentityMap: true, failHandler: () => notFound('invoice') });
}

/** Finds the invoice of a subscription that an operation of ours made; null when there is none. */
export async function findInvoiceOfOperation(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { subscriptionId, operationKey }: { readonly subscriptionId: SubscriptionId; readonly operationKey: string },
): Promise<Invoice | null> {
  return em.findOne(Invoice, { teamId, projectId, subscriptionId, operationKey }, { disableIdentityMap: true });
}
