import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import { saveDeletedInvoices } from '#persistence/deleted-invoices.ts';
import { lockAll } from '#persistence/locks.ts';
import type { Dependencies } from '../dependencies.ts';
import { findPaymentsOf, linkPayments } from './link-payments.ts';
import type { Source } from './tell-tenants.ts';

/** An invoice that was deleted at the processor. */
interface DeletedInvoice extends ProjectObject {
  readonly source: Source;
}

/** Deletes invoices for good, recorded here or not; payments show them no more. Only drafts can be deleted. */
export function deleteInvoices(dependencies: Pick<Dependencies, 'now'>) {
  const link = linkPayments(dependencies);
  return async (tx: EntityManager, invoices: readonly DeletedInvoice[], publish: Publish): Promise<void> => {
    await lockAll(tx, 'invoice', invoices);
    await saveDeletedInvoices(tx, invoices);
    await link(tx, await findPaymentsOf(tx, invoices), publish);
  };
}
