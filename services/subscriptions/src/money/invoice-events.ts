import { processorEvent, type ProcessorEventData, type ProcessorEventType } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { readObject } from '@billing/processor/event-object';
import { readDeletedInvoice, readInvoice } from '@billing/processor/snapshots/invoice';
import { sourceOf } from '@billing/service/event-causes';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from '../scope-of.ts';
import type { InvoiceReread } from './invoice.rules.ts';
import {
  applyInvoiceEvents,
  prepareInvoiceEvent,
  type DeletedInvoice,
  type InvoiceEvent,
} from './apply-invoice-events.ts';

/** Within one second of the processor, the events of an invoice follow each other in this order. */
const TYPES = [
  'invoice.finalized',
  'invoice.updated',
  'invoice.payment_failed',
  'invoice.payment_action_required',
  'invoice.marked_uncollectible',
  'invoice.voided',
  'invoice.paid',
] as const satisfies readonly ProcessorEventType[];
const NAMES = TYPES.map(type => processorEvent(type).name);
const FAILURES: ReadonlySet<string> = new Set(
  (['invoice.payment_failed', 'invoice.payment_action_required'] as const).map(type => processorEvent(type).name),
);

/** Keeps copies of the invoices of the project's customers. */
export function invoiceEvents(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>): Consumer {
  const apply = applyInvoiceEvents(dependencies);
  const prepare = prepareInvoiceEvent(dependencies);
  return consumer('subscriptions-invoices', 'processor.invoice.>').onProcessorEvent([...TYPES, 'invoice.deleted'], {
    prepare: async delivery => {
      const [event] = toEvents({ ...delivery, context: undefined });
      return event ? prepare(event) : null;
    },
    handle: async (tx, deliveries, publish) => {
      const { gone = [], known = [] } = Object.groupBy(deliveries, it => (isDeletion(it) ? 'gone' : 'known'));
      const unprepared = await apply(tx, known.flatMap(toEvents), publish, gone.map(toDeleted));
      return unprepared.map(({ delivery }) => delivery);
    },
  });
}

type Received = Delivery<ProcessorEventData, InvoiceReread | null>;

const isDeletion = ({ event }: Received): boolean => event.type === processorEvent('invoice.deleted').name;

const toDeleted = (delivery: Received): DeletedInvoice => ({
  scope: scopeOf(delivery),
  id: readObject(delivery.data, readDeletedInvoice),
  source: sourceOf(delivery),
});

/** Empty for an invoice without a customer: no customer's page could show it. */
function toEvents(delivery: Received): (InvoiceEvent & { delivery: Received })[] {
  const { event, data, context } = delivery;
  const snapshot = readObject(data, readInvoice);
  const { customerId: processorCustomerId } = snapshot;
  if (!processorCustomerId) return [];
  const source = sourceOf(delivery);
  const position = { at: source.at, rank: NAMES.indexOf(event.type) + 1, eventId: data.eventId };
  const scope = scopeOf(delivery);
  const isFailure = FAILURES.has(event.type);
  return [{ delivery, scope, snapshot, position, source, processorCustomerId, isFailure, reread: context ?? null }];
}
