import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { readObject } from '@billing/processor/event-object';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { identifyCustomer } from '#operations/identify-customer.ts';
import { lookAtInvoice, recordInvoice } from '#operations/record-invoice.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from './processor-event.ts';

/** Within one second of the processor an invoice goes through its events in this order. */
const RANKS = {
  'invoice.finalized': 1,
  'invoice.updated': 2,
  'invoice.payment_failed': 3,
  'invoice.voided': 4,
  'invoice.paid': 5,
} as const satisfies Partial<Record<ProcessorEventType, number>>;

/** Keeps the invoices of the project's customers. */
export function reactToInvoiceEvents(dependencies: Dependencies): Inbox {
  const { em, logger } = dependencies;
  const identify = identifyCustomer(dependencies);
  const look = lookAtInvoice(dependencies);
  const inbox = new Inbox(em, 'subscriptions-invoices', logger);
  for (const [type, rank] of Object.entries(RANKS) as [keyof typeof RANKS, number][]) {
    // an object's keys are typed as string
    inbox.onProcessor(
      type,
      async (data, event) => {
        const scope = scopeOf(data, event);
        const snapshot = readObject(data, readInvoice);
        const moment = { at: data.createdAt, rank, eventId: data.eventId };
        const { customerId: processorCustomerId, subscriptionMetadata } = snapshot;
        // An invoice of nobody has no place to be shown.
        if (!processorCustomerId) return null;
        const metadata = { ...subscriptionMetadata, ...snapshot.metadata };
        const customerId = await identify(scope, { processorCustomerId, metadata });
        return { snapshot, moment, customerId, answer: await look(scope, { snapshot, moment }) };
      },
      async (tx, data, event, seen) => {
        if (seen) await recordInvoice(tx, scopeOf(data, event), seen);
      },
    );
  }
  return inbox;
}
