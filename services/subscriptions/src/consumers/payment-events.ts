import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { readObject } from '@billing/processor/event-object';
import { readCharge, readPaymentIntent, type PaymentSnapshot } from '#domain/payment-snapshot.ts';
import { applyPaymentEvents, preparePaymentEvent, type PaymentEvent } from '#operations/apply-payment-events.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './scope-of.ts';

type Read = (raw: unknown) => PaymentSnapshot;
type Received = Delivery<ProcessorEventData, null>;
type PaymentDependencies = Pick<Dependencies, 'em' | 'rpc' | 'now'>;

/** Records how payment intents ended. */
export const paymentIntentEvents = (dependencies: PaymentDependencies): Consumer =>
  recordPayments(
    consumer('subscriptions-payment-intents', 'processor.payment_intent.>'),
    [
      ['payment_intent.succeeded', raw => readPaymentIntent(raw, 'succeeded')],
      ['payment_intent.payment_failed', raw => readPaymentIntent(raw, 'failed')],
    ],
    dependencies,
  );

/** Records how charges ended. */
export const chargeEvents = (dependencies: PaymentDependencies): Consumer =>
  recordPayments(
    consumer('subscriptions-charges', 'processor.charge.>'),
    [
      ['charge.succeeded', raw => readCharge(raw, 'succeeded')],
      ['charge.failed', raw => readCharge(raw, 'failed')],
    ],
    dependencies,
  );

function recordPayments(
  payments: Consumer,
  types: readonly (readonly [ProcessorEventType, Read])[],
  dependencies: PaymentDependencies,
): Consumer {
  const apply = applyPaymentEvents(dependencies);
  const prepare = preparePaymentEvent(dependencies);
  const readers = new Map(types.map(([type, read]) => [processorEvent(type).name, read]));

  const toEvent = (delivery: Received): PaymentEvent & { delivery: Received } => {
    const { event, data } = delivery;
    const read = readers.get(event.type);
    if (!read) throw new Error(`${event.type} is not an event of a payment.`);
    const snapshot = readObject(data, read);
    return { delivery, scope: scopeOf(delivery), snapshot, at: data.createdAt, eventId: data.eventId };
  };
  return payments.onProcessorEvent(
    types.map(([type]) => type),
    {
      prepare: delivery => prepare(toEvent({ ...delivery, context: undefined })),
      handle: async (tx, deliveries) => {
        const unprepared = await apply(tx, deliveries.map(toEvent));
        return unprepared.map(({ delivery }) => delivery);
      },
    },
  );
}
