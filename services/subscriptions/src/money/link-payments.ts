import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { PaymentObstacle } from '@billing/processor/snapshots/payments';
import type { Source } from '@billing/service/save-record';
import type { Dependencies } from '../dependencies.ts';
import { observedInvoice, observedObstacle } from './payment-observations.rules.ts';
import { paymentRows } from './payment-rows.ts';
import { applyPaymentEvents, type PaymentEvent } from './apply-payment-events.ts';

/** An invoice of the processor that is known to have been paid by some payments. */
export interface PaidInvoice {
  readonly scope: ProjectScope;
  readonly source: Source;
  readonly invoiceId: string;
  readonly paymentIds: readonly string[];
  /** What kept some of them from being paid when that happened, by their ids. */
  readonly obstacles?: ReadonlyMap<string, PaymentObstacle>;
}

/** Links payments to the invoices that they paid, in the caller's transaction; a payment may come later than its invoice. */
export function linkPayments(dependencies: Pick<Dependencies, 'now'>) {
  const apply = applyPaymentEvents(dependencies);
  return async (tx: EntityManager, invoices: readonly PaidInvoice[], publish: Publish): Promise<void> => {
    const events = invoices.flatMap(({ scope, source, invoiceId, paymentIds, obstacles }) =>
      paymentIds.map((id): PaymentEvent => {
        const link = linkOf(invoiceId, id);
        const observations = { ...link.observations, ...observedObstacle(obstacles?.get(id), source.at) };
        return { ...link, observations, scope, source, prepared: undefined };
      }),
    );
    if (events.length > 0) await apply(tx, events, publish);
  };
}

/** What an invoice says about a payment intent that paid it, or a charge without one. */
export const linkOf = (invoiceId: string, id: string): Omit<PaymentEvent, 'scope' | 'source' | 'prepared'> => ({
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
  const paying = await paymentRows.findNaming(tx, 'processorInvoiceId', invoices);
  return paying.map(({ named: { scope, id: invoiceId, source }, recorded }) => {
    return { scope, source, invoiceId, paymentIds: [recorded.id] };
  });
}
