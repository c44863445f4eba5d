import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { linkPayments } from '#operations/link-payments.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './scope-of.ts';

const ATTEMPTED = (['invoice.paid', 'invoice.payment_failed'] as const).map(type => processorEvent(type));

/**
 * Links the payments, failed ones too, of an invoice whose event does not name them, as in all API versions since 2025-03-31:
 * they are read at the processor. This has a consumer of its own, so that no invoice waits for it.
 */
export const attemptedInvoices = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer => {
  const link = linkPayments(dependencies);
  return consumer('subscriptions-attempted-invoices', 'processor.invoice.>').on(ATTEMPTED, {
    prepare: async ({ teamId, data }: Delivery<ProcessorEventData>): Promise<readonly string[]> => {
      const processor = await dependencies.processors.of(teamId);
      const payments = await processor.listInvoicePayments(readObject(data, readInvoice).id).catch(missingOrThrow);
      if (payments === 'missing') return [];
      return payments.flatMap(({ paymentId }) => paymentId ?? []);
    },
    handle: async (tx, deliveries) => {
      const unnamed = deliveries.filter(({ data }) => {
        const { paymentIds, amountDue } = readObject(data, readInvoice);
        return paymentIds.length === 0 && amountDue > 0;
      });
      await link(
        tx,
        unnamed.map(delivery => ({
          scope: scopeOf(delivery),
          invoiceId: readObject(delivery.data, readInvoice).id,
          paymentIds: delivery.context ?? [],
          at: delivery.data.createdAt,
        })),
      );
      return unnamed.filter(({ context }) => context === undefined);
    },
  });
};
