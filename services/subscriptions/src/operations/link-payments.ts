import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { observedInvoice } from '#domain/payment-observations.ts';
import type { Dependencies } from '../dependencies.ts';
import { applyPaymentEvents, type PaymentEvent } from './apply-payment-events.ts';

/** An invoice of the processor that is known to have been paid by some payments. */
export interface PaidInvoice {
  readonly scope: ProjectScope;
  readonly invoiceId: string;
  readonly paymentIds: readonly string[];
  /** The processor's time. */
  readonly at: Date;
}

/** Links payments to the invoices that they paid, in the caller's transaction; a payment may come later than its invoice. */
export function linkPayments(dependencies: Pick<Dependencies, 'now'>) {
  const apply = applyPaymentEvents(dependencies);
  return async (tx: EntityManager, invoices: readonly PaidInvoice[]): Promise<void> => {
    const events = invoices.flatMap(({ scope, invoiceId, paymentIds, at }) =>
      paymentIds.map(id => ({ ...linkOf(invoiceId, id), scope, at, prepared: undefined })),
    );
    if (events.length > 0) await apply(tx, events);
  };
}

/** What an invoice says about a payment intent that paid it, or a charge without one. */
export const linkOf = (invoiceId: string, id: string): Omit<PaymentEvent, 'scope' | 'at' | 'prepared'> => ({
  processorId: id,
  paymentIntentId: id.startsWith('pi_') ? id : null,
  chargeToRead: null,
  observations: observedInvoice(invoiceId),
  metadata: {},
});
