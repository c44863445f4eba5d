import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import { consumer, type Consumer, type EventHandler } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { readObject } from '@billing/processor/event-object';
import { readInvoicePayment } from '@billing/processor/snapshots/invoice';
import {
  readCharge,
  readDispute,
  readPaymentIntent,
  readRefund,
  type DisputeSnapshot,
} from '@billing/processor/snapshots/payments';
import { sourceOf } from '@billing/service/event-causes';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from '../scope-of.ts';
import {
  observedCancellation,
  observedCharge,
  observedDispute,
  observedIntent,
  observedRefund,
} from './payment-observations.rules.ts';
import type { AttemptState, PaymentObservations } from './payment.rules.ts';
import { linkOf } from './link-payments.ts';
import {
  applyPaymentEvents,
  preparePaymentEvent,
  type PaymentEvent,
  type PreparedPayment,
} from './apply-payment-events.ts';

type PaymentDependencies = Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>;
/** What the object of an event says about a payment. */
type Content = Pick<PaymentEvent, 'processorId' | 'paymentIntentId' | 'chargeToRead' | 'observations' | 'metadata'>;
type Read = (raw: unknown, at: Date) => readonly Content[];
type ReadByType = readonly (readonly [ProcessorEventType, Read])[];

const INTENTS: ReadByType = [
  ['payment_intent.succeeded', ofIntent('succeeded')],
  ['payment_intent.payment_failed', ofIntent('failed')],
  ['payment_intent.amount_capturable_updated', ofIntent('authorized')],
  ['payment_intent.canceled', ofIntent('canceled')],
];
const CHARGES: ReadByType = [
  ['charge.succeeded', ofCharge()],
  ['charge.captured', ofCharge()],
  ['charge.updated', ofCharge()],
  ['charge.refunded', ofCharge()],
  ['charge.failed', ofCharge('failed')],
  ['charge.expired', ofCharge('released')],
  ['charge.dispute.created', ofDispute(false)],
  ['charge.dispute.updated', ofDispute(false)],
  ['charge.dispute.closed', ofDispute(true)],
  ['charge.refund.updated', ofRefund],
];
const REFUNDS: ReadByType = [
  ['refund.created', ofRefund],
  ['refund.updated', ofRefund],
  ['refund.failed', ofRefund],
];
const INVOICE_PAYMENTS: ReadByType = [['invoice_payment.paid', ofInvoicePayment]];

/** Records how payment intents ended. */
export const paymentIntentEvents = (dependencies: PaymentDependencies): Consumer =>
  consumer('subscriptions-payment-intents', 'processor.payment_intent.>').onProcessorEvent(
    INTENTS.map(([type]) => type),
    recordPayments(INTENTS, dependencies),
  );

/** Records how charges ended, and what became of them. */
export const chargeEvents = (dependencies: PaymentDependencies): Consumer =>
  consumer('subscriptions-charges', 'processor.charge.>').onProcessorEvent(
    CHARGES.map(([type]) => type),
    recordPayments(CHARGES, dependencies),
  );

/** Records refunds, also those that fail after the charge has counted them. */
export const refundEvents = (dependencies: PaymentDependencies): Consumer =>
  consumer('subscriptions-refunds', 'processor.refund.>').onProcessorEvent(
    REFUNDS.map(([type]) => type),
    recordPayments(REFUNDS, dependencies),
  );

/** Links payments to the invoices that they paid. */
export const invoicePaymentEvents = (dependencies: PaymentDependencies): Consumer =>
  consumer('subscriptions-invoice-payments', 'processor.invoice_payment.>').onProcessorEvent(
    INVOICE_PAYMENTS.map(([type]) => type),
    recordPayments(INVOICE_PAYMENTS, dependencies),
  );

function recordPayments(
  types: ReadByType,
  dependencies: PaymentDependencies,
): EventHandler<ProcessorEventData, PreparedPayment> {
  const apply = applyPaymentEvents(dependencies);
  const prepare = preparePaymentEvent(dependencies);
  const reads = new Map(types.map(([type, read]) => [processorEvent(type).name, read]));

  const toEvents = (delivery: Received): (PaymentEvent & { delivery: Received })[] => {
    const { event, data, context: prepared } = delivery;
    const read = reads.get(event.type);
    if (!read) throw new Error(`${event.type} is not an event of a payment.`);
    const source = sourceOf(delivery);
    const contents = readObject(data, raw => read(raw, source.at));
    return contents.map(content => ({ ...content, delivery, scope: scopeOf(delivery), source, prepared }));
  };
  return {
    prepare: async delivery => {
      const [event] = toEvents({ ...delivery, context: undefined });
      if (!event) throw new Error(`${delivery.event.type} says nothing about a payment.`);
      return prepare(event);
    },
    handle: async (tx, deliveries, publish) => {
      const unprepared = await apply(tx, deliveries.flatMap(toEvents), publish);
      return unprepared.map(({ delivery }) => delivery);
    },
  };
}

type Received = Delivery<ProcessorEventData, PreparedPayment>;

function ofIntent(state: Exclude<AttemptState, 'released'> | 'canceled'): Read {
  return (raw, at) => {
    const intent = readPaymentIntent(raw);
    const { id, metadata } = intent;
    const observations = state === 'canceled' ? observedCancellation(intent) : observedIntent(intent, at, state);
    return [{ processorId: id, paymentIntentId: id, chargeToRead: null, observations, metadata }];
  };
}

function ofCharge(end?: 'failed' | 'released'): Read {
  return (raw, at) => {
    const charge = readCharge(raw);
    const { id, paymentIntentId, metadata } = charge;
    const observations = observedCharge(charge, at, end);
    return [{ processorId: paymentIntentId ?? id, paymentIntentId, chargeToRead: null, observations, metadata }];
  };
}

function ofDispute(isClosed: boolean): Read {
  return (raw, at) => {
    const dispute = readDispute(raw);
    return changeOf(dispute, observedDispute(dispute, at, isClosed));
  };
}

function ofRefund(raw: unknown, at: Date): readonly Content[] {
  const refund = readRefund(raw);
  return changeOf(refund, observedRefund(refund, at));
}

/** Empty for an object that names no payment. */
function changeOf(
  { chargeId, paymentIntentId }: DisputeSnapshot,
  observations: PaymentObservations,
): readonly Content[] {
  const processorId = paymentIntentId ?? chargeId;
  return processorId === null
    ? []
    : [{ processorId, paymentIntentId, chargeToRead: chargeId, observations, metadata: {} }];
}

function ofInvoicePayment(raw: unknown): readonly Content[] {
  const { invoiceId, paymentId } = readInvoicePayment(raw);
  return paymentId === null ? [] : [linkOf(invoiceId, paymentId)];
}
