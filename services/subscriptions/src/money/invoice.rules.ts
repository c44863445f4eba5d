import { isDeepStrictEqual } from 'node:util';
import { pick } from '@billing/contracts/fields-of';
import { unprocessable } from '@billing/contracts/problem';
import type { Invoice, InvoiceLine, InvoiceStatus } from '@billing/contracts/resources/invoice';
import {
  AFTER_EVENTS,
  BEFORE_EVENTS,
  compareOrder,
  decide,
  sortByPosition,
  type EventOrder,
  type EventPosition,
} from '@billing/processor/event-order';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';

/** What the order of an invoice's events depends on. */
export interface InvoiceState {
  readonly status: InvoiceStatus;
  readonly amountPaid: number;
  readonly position: EventPosition;
}

/** What is recorded of an invoice under the name that it has in a snapshot. */
export const COPIED = [
  'number',
  'subtotal',
  'discount',
  'tax',
  'total',
  'taxes',
  'amountDue',
  'amountPaid',
  'amountRemaining',
  'attempted',
  'attempts',
  'nextAttemptAt',
  'finalizedAt',
  'currency',
  'billingReason',
  'hostedInvoiceUrl',
  'invoicePdfUrl',
  'periodStart',
  'periodEnd',
  'dueDate',
  'paidAt',
  'givenUpAt',
  'customerTaxIds',
  'purchaseOrder',
  'testClockId',
] as const satisfies readonly (keyof InvoiceSnapshot)[];

/** A line in JSON, as callers see it but for our id of its price. */
export type StoredLine = Omit<InvoiceLine, 'priceId' | 'periodStart' | 'periodEnd'> & {
  readonly periodStart: string;
  readonly periodEnd: string;
};

/** What is left of an invoice's personal data when its customer is deleted. */
const ERASED = { isErased: true, customerTaxIds: [], purchaseOrder: null } as const;

/** Null, and not only what a snapshot has, in an invoice that was recorded before. */
type Billed = Pick<Invoice, 'discount' | 'tax' | 'taxes' | 'customerTaxIds'>;

/** All that the processor decides about an invoice. Amounts are in the currency's smallest unit. */
export interface InvoiceContent extends Omit<Pick<InvoiceSnapshot, (typeof COPIED)[number]>, keyof Billed>, Billed {
  readonly status: InvoiceStatus;
  readonly processorSubscriptionId: string | null;
  readonly lines: readonly StoredLine[];
  /** Whether the customer is deleted. */
  readonly isErased: boolean;
}

/** The position of a read: by our clock, so that it has no place among the events, which have the processor's. */
export const positionOfRead = (readAt: Date): EventPosition => ({ at: readAt, rank: 0, eventId: '' });
const isRead = ({ rank }: EventPosition): boolean => rank === 0;

/** An invoice as it is recorded. */
export interface RecordedInvoice {
  readonly content: InvoiceContent;
  readonly position: EventPosition;
  readonly version: number;
}

/** An invoice as it was read from the processor, outside of any transaction. */
export interface InvoiceReread {
  /** `missing` if the processor has no such invoice. */
  readonly snapshot: InvoiceSnapshot | 'missing';
  /** Our version of the record before the read. */
  readonly version: number;
}

/** One event of an invoice, or a read of it. */
export interface InvoiceObservation {
  readonly snapshot: InvoiceSnapshot;
  readonly position: EventPosition;
  /** What the processor returned when it was read because of this event. */
  readonly reread: InvoiceReread | null;
}

const PROGRESS: Readonly<Record<InvoiceStatus, number>> = { draft: 0, open: 1, uncollectible: 2, paid: 3, void: 3 };

/** An invoice that is paid or void stays so. https://docs.stripe.com/invoicing/overview#invoice-statuses */
export const isFinal = (status: InvoiceStatus): boolean => status === 'paid' || status === 'void';

/** What a request makes of an invoice that is not paid. */
export type InvoiceChange = 'void' | 'uncollectible' | 'paid' | 'paidElsewhere' | 'sent';

/** https://docs.stripe.com/invoicing/overview#invoice-statuses */
const ALLOWED: Readonly<Record<InvoiceChange, { readonly from: readonly InvoiceStatus[]; readonly rule: string }>> = {
  void: { from: ['open', 'uncollectible'], rule: 'Only an open or uncollectible invoice can be voided' },
  uncollectible: { from: ['open'], rule: 'Only an open invoice can be marked as uncollectible' },
  paid: { from: ['open'], rule: 'Only an open invoice can be collected' },
  paidElsewhere: {
    from: ['open', 'uncollectible'],
    rule: 'Only an open or uncollectible invoice can be marked as paid',
  },
  sent: { from: ['open'], rule: 'Only an open invoice can be sent' },
};

/**
 * Checks that an invoice can be voided, marked, sent or collected. Only one that is sent rather than charged has a due date.
 * @throws Problem 422 `invoice_not_open`, `invoice_not_sendable`
 */
export function requireOpen(
  { status, dueDate }: { readonly status: InvoiceStatus; readonly dueDate: Date | null },
  change: InvoiceChange,
): void {
  const { from, rule } = ALLOWED[change];
  if (!from.includes(status)) throw unprocessable('invoice_not_open', `${rule}; this one is ${status}.`);
  if (change === 'sent' && !dueDate)
    throw unprocessable('invoice_not_sendable', 'The invoice is charged, and not sent to the customer.');
}

/**
 * Applies events of one invoice to its record, the oldest first. Returns the same object as before when they add nothing,
 * the event that made the last change of the content, if any did, and those that changed nothing because the processor must
 * be read first.
 */
export function applyInvoiceObservations<Event extends InvoiceObservation>(
  recorded: RecordedInvoice,
  events: readonly Event[],
): { readonly invoice: RecordedInvoice; readonly last: Event | undefined; readonly unprepared: readonly Event[] } {
  let invoice = recorded;
  let last: Event | undefined;
  const unprepared: Event[] = [];
  for (const event of sortByPosition(events)) {
    // A change by this batch makes a read from before it outdated.
    const isCurrent = invoice === recorded && event.reread?.version === recorded.version;
    const next = compareInvoice(invoice, event, isCurrent ? (event.reread?.snapshot ?? null) : null);
    if (next === 'reread') unprepared.push(event);
    else if (next) {
      if (!isDeepStrictEqual(next.content, invoice.content)) last = event;
      invoice = { ...recorded, ...next };
    }
  }
  return { invoice, last, unprepared };
}

/** Returns the oldest event whose status is known, or else the oldest one. */
export function oldestReadable<Event extends InvoiceObservation>(events: readonly Event[]): Event[] {
  const readable = events.filter(({ snapshot }) => snapshot.status !== null);
  return sortByPosition(readable.length > 0 ? readable : events).slice(0, 1);
}

type Next = Pick<RecordedInvoice, 'content' | 'position'>;

/**
 * Decides what to record after an event: null when it adds nothing, or `reread` when only the processor knows which state
 * holds, of two in one second, or of a read and an event that differs from it.
 */
function compareInvoice(
  { content, position }: RecordedInvoice,
  event: InvoiceObservation,
  reread: InvoiceSnapshot | 'missing' | null,
): Next | 'reread' | null {
  const next = contentOf(event.snapshot, content);
  const observed = { ...next, position: event.position };
  const current = { ...content, position };
  const order = orderOf(isRead(position) ? { ...current, position: BEFORE_EVENTS } : current);
  // A read stands where the record does, so that only its end decides.
  const place = isRead(event.position) ? { ...order, isFinal: isFinal(next.status) } : orderOf(observed);
  const unorderedUntil = isRead(position) || isRead(event.position) ? AFTER_EVENTS : null;
  const isSame = isDeepStrictEqual(next, content);
  const decision = decide({ order, unorderedUntil }, place, isSame);
  if (decision === 'ignore' || (isSame && isRead(event.position))) return null;
  if (decision === 'reread' && reread !== 'missing') {
    if (!reread) return 'reread';
    const changed = changeByReread(content, reread);
    // What was read stays of unknown age: each event that differs from it is decided by the processor.
    return changed && { content: changed, position: isRead(position) ? position : event.position };
  }
  return supersedes(observed, current) ? { content: next, position: event.position } : null;
}

/** Returns the content of the processor's invoice if it differs and the recorded status allows it. */
function changeByReread(recorded: InvoiceContent, reread: InvoiceSnapshot): InvoiceContent | null {
  const content = contentOf(reread, recorded);
  const isAllowed = !isFinal(recorded.status) || isFinal(content.status);
  return isAllowed && !isDeepStrictEqual(content, recorded) ? content : null;
}

/**
 * Within one second the status that comes later in an invoice's life is the newer one. An invoice whose status is the same
 * may have changed in either order.
 */
const orderOf = ({ status, position: { at } }: Pick<InvoiceState, 'status'> & { readonly position: EventOrder }) => ({
  isFinal: isFinal(status),
  at,
  rank: PROGRESS[status],
});

/** Returns whether an event's state replaces the recorded one when the processor can't tell more than the order does. */
export function supersedes(observed: InvoiceState, recorded: InvoiceState): boolean {
  const difference =
    compareOrder(orderOf(observed), orderOf(recorded)) ||
    observed.position.rank - recorded.position.rank ||
    observed.amountPaid - recorded.amountPaid ||
    (observed.position.eventId > recorded.position.eventId ? 1 : -1);
  return difference > 0;
}

/**
 * Returns what a snapshot shows, without what is erased of a deleted customer. A status that is newer than this service leaves
 * the recorded one.
 * @throws Error for an unknown status when none is recorded
 */
export function contentOf(
  snapshot: InvoiceSnapshot,
  { status: recordedStatus, isErased }: Partial<Pick<InvoiceContent, 'status'>> & Pick<InvoiceContent, 'isErased'>,
): InvoiceContent {
  const status = snapshot.status ?? recordedStatus;
  if (!status) throw new Error(`Invoice ${snapshot.id} has a status that this service does not know.`);
  return {
    processorSubscriptionId: snapshot.subscriptionId,
    status,
    lines: snapshot.lines.map(toStoredLine),
    ...pick(snapshot, COPIED),
    ...(isErased ? ERASED : { isErased }),
  };
}

const toStoredLine = (line: InvoiceSnapshot['lines'][number]): StoredLine => ({
  description: line.description,
  amount: line.amount,
  discount: line.discount,
  quantity: line.quantity,
  processorPriceId: line.priceId,
  periodStart: line.periodStart.toISOString(),
  periodEnd: line.periodEnd.toISOString(),
  proration: line.isProration,
});
