import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { consumer, type Consumer, type EventHandler } from '@billing/messaging/consumer/consumer';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { sourceOf } from '@billing/service/event-causes';
import { linkPayments } from '#operations/link-payments.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './scope-of.ts';

/**
 * Links the payments, failed ones too, of an invoice whose event does not name them, as in all API versions since 2025-03-31:
 * they are read at the processor. Consumers of their own do it, so that no invoice waits for it.
 */
export const attemptedInvoices = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer[] => {
  const link = linkPayments(dependencies);
  const handler: EventHandler<ProcessorEventData, readonly string[]> = {
    prepare: async ({ teamId, data }) => {
      const processor = await dependencies.processors.of(teamId);
      const payments = await processor.listInvoicePayments(readObject(data, readInvoice).id).catch(missingOrThrow);
      if (payments === 'missing') return [];
      return payments.flatMap(({ paymentId }) => paymentId ?? []);
    },
    handle: async (tx, deliveries, publish) => {
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
          source: sourceOf(delivery),
        })),
        publish,
      );
      return unnamed.filter(({ context }) => context === undefined);
    },
  };
  return [
    consumer('subscriptions-paid-invoices', 'processor.invoice.paid.v1').on(processorEvent('invoice.paid'), handler),
    consumer('subscriptions-failed-invoices', 'processor.invoice.payment_failed.v1').on(
      processorEvent('invoice.payment_failed'),
      handler,
    ),
  ];
};
