import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { readObject } from '@billing/processor/event-object';
import { identifyCustomer } from '#operations/identify-customer.ts';
import { recordPayment, type PaymentSnapshot } from '#operations/record-payment.ts';
import type { Dependencies } from '../dependencies.ts';
import { readCharge, readPaymentIntent } from './payment-snapshot.ts';
import { scopeOf } from './processor-event.ts';

type Read = (raw: unknown) => PaymentSnapshot;

const PAYMENT_INTENTS = {
  'payment_intent.succeeded': raw => readPaymentIntent(raw, 'succeeded'),
  'payment_intent.payment_failed': raw => readPaymentIntent(raw, 'failed'),
} as const satisfies Partial<Record<ProcessorEventType, Read>>;

const CHARGES = {
  'charge.succeeded': raw => readCharge(raw, 'succeeded'),
  'charge.failed': raw => readCharge(raw, 'failed'),
} as const satisfies Partial<Record<ProcessorEventType, Read>>;

/** Records payments and failures to pay. */
export function reactToPaymentIntentEvents(dependencies: Dependencies): Inbox {
  const inbox = new Inbox(dependencies.em, 'subscriptions-payment-intents', dependencies.logger);
  return recordEach(inbox, PAYMENT_INTENTS, dependencies);
}

/** Records charges. */
export function reactToChargeEvents(dependencies: Dependencies): Inbox {
  const inbox = new Inbox(dependencies.em, 'subscriptions-charges', dependencies.logger);
  return recordEach(inbox, CHARGES, dependencies);
}

function recordEach(inbox: Inbox, reads: Partial<Record<ProcessorEventType, Read>>, dependencies: Dependencies): Inbox {
  const identify = identifyCustomer(dependencies);
  for (const [type, read] of Object.entries(reads) as [ProcessorEventType, Read][]) {
    // an object's keys are typed as string
    inbox.onProcessor(
      type,
      async (data, event) => {
        const snapshot = readObject(data, read);
        const { processorCustomerId, metadata } = snapshot;
        const customerId = processorCustomerId
          ? await identify(scopeOf(data, event), { processorCustomerId, metadata })
          : null;
        return { snapshot, customerId };
      },
      (tx, { createdAt: at, eventId, projectId }, event, { snapshot, customerId }) =>
        recordPayment(tx, scopeOf({ projectId }, event), snapshot, { at, eventId, customerId }),
    );
  }
  return inbox;
}
