import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { consumer, type Consumer, type EventHandler } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import { readInvoiceLinks, type InvoicePaymentSnapshot } from '@billing/processor/snapshots/invoice';
import type { PaymentObstacle } from '@billing/processor/snapshots/payments';
import { sourceOf } from '@billing/service/event-causes';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from '../scope-of.ts';
import { linkPayments, type PaidInvoice } from './link-payments.ts';

const PAID = processorEvent('invoice.paid');
const FAILED = processorEvent('invoice.payment_failed');
const UNCONFIRMED = processorEvent('invoice.payment_action_required');

type Received = Delivery<ProcessorEventData, readonly InvoicePaymentSnapshot[]>;

/**
 * Links the payments, failed ones too, of an invoice whose event does not name them, as in all API versions since 2025-03-31:
 * they are read at the processor. So is why one was not paid that has no error: that it is to be confirmed, an event may tell
 * too, which still does once it is paid. Consumers of their own do it, so that no invoice waits for it.
 */
export const attemptedInvoices = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer[] => {
  const link = linkPayments(dependencies);
  const handler: EventHandler<ProcessorEventData, readonly InvoicePaymentSnapshot[]> = {
    prepare: async ({ teamId, data }) => {
      const processor = await dependencies.processors.of(teamId);
      const payments = await processor.listInvoicePayments(readObject(data, readInvoiceLinks).id).catch(missingOrThrow);
      return payments === 'missing' ? [] : payments;
    },
    handle: async (tx, deliveries, publish) => {
      const read = deliveries.filter(needsRead);
      await link(tx, read.map(toPaid), publish);
      return read.filter(({ context }) => context === undefined);
    },
  };
  return [
    consumer('subscriptions-paid-invoices', 'processor.invoice.paid.v1').on(PAID, handler),
    consumer('subscriptions-failed-invoices', 'processor.invoice.payment_failed.v1').on(FAILED, handler),
    consumer('subscriptions-unconfirmed-invoices', 'processor.invoice.payment_action_required.v1').on(
      UNCONFIRMED,
      handler,
    ),
  ];
};

function needsRead({ event, data }: Received): boolean {
  const { paymentIds, amountDue } = readObject(data, readInvoiceLinks);
  return amountDue > 0 && (paymentIds.length === 0 || event.type !== PAID.name);
}

function toPaid(delivery: Received): PaidInvoice {
  const { event, data, context: payments = [] } = delivery;
  const obstacleOf = ({ obstacle }: InvoicePaymentSnapshot): PaymentObstacle | null =>
    event.type === UNCONFIRMED.name ? 'authentication_required' : event.type === FAILED.name ? obstacle : null;
  const known = payments.flatMap(one => (one.paymentId === null ? [] : [[one.paymentId, obstacleOf(one)] as const]));
  return {
    scope: scopeOf(delivery),
    invoiceId: readObject(data, readInvoiceLinks).id,
    paymentIds: known.map(([id]) => id),
    obstacles: new Map(known.flatMap(([id, obstacle]) => (obstacle ? [[id, obstacle] as const] : []))),
    source: sourceOf(delivery),
  };
}
