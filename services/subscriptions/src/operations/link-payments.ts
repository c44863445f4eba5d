import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import { observedInvoice } from '#domain/payment-observations.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyPaymentEvents, type PaymentEvent } from './apply-payment-events.ts';
import type { Source } from './tell-tenants.ts';

/** An invoice of the processor that is known to have been paid by some payments. */
export interface PaidInvoice extends Source {
  readonly scope: ProjectScope;
  readonly invoiceId: string;
  readonly paymentIds: readonly string[];
}

/** Links payments to the invoices that they paid, in the caller's transaction; a payment may come later than its invoice. */
export function linkPayments(dependencies: Pick<Dependencies, 'now'>) {
  const apply = applyPaymentEvents(dependencies);
  return async (tx: EntityManager, invoices: readonly PaidInvoice[], publish: Publish): Promise<void> => {
    const events = invoices.flatMap(({ invoiceId, paymentIds, ...event }) =>
      paymentIds.map(id => ({ ...linkOf(invoiceId, id), ...event, prepared: undefined })),
    );
    if (events.length > 0) await apply(tx, events, publish);
  };
}

/** What an invoice says about a payment intent that paid it, or a charge without one. */
export const linkOf = (invoiceId: string, id: string): Omit<PaymentEvent, 'scope' | 'prepared' | keyof Source> => ({
  processorId: id,
  paymentIntentId: id.startsWith('pi_') ? id : null,
  chargeToRead: null,
  observations: observedInvoice(invoiceId),
  metadata: {},
});

/** Finds the payments that are known to have paid invoices, recorded here or not. The caller holds the invoices' locks. */
export async function findPaymentsOf(
  tx: EntityManager,
  invoices: readonly (ProjectObject & { readonly source: Source })[],
): Promise<PaidInvoice[]> {
  if (invoices.length === 0) return [];
  const rows = await executeBound<{ place: number; id: string }>(
    tx,
    `select wanted.place::int, payment.processor_id as id
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality
              as wanted (team_id, project_id, processor_invoice_id, place)
       join payments payment
         on payment.processor_invoice_id = wanted.processor_invoice_id
        and (payment.team_id, payment.project_id) is not distinct from (wanted.team_id, wanted.project_id)`,
    [
      invoices.map(({ scope }) => scope.teamId),
      invoices.map(({ scope }) => scope.projectId),
      invoices.map(({ id }) => id),
    ],
  );
  return rows.flatMap(({ place, id }) => {
    const invoice = invoices[place - 1];
    return invoice ? [{ scope: invoice.scope, invoiceId: invoice.id, paymentIds: [id], ...invoice.source }] : [];
  });
}
