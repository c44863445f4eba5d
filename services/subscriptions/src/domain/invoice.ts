import type { InvoiceStatus } from '@billing/contracts/resources/invoice';

/** When the processor said something of an invoice. */
export interface InvoiceMoment {
  readonly at: Date;
  /** Orders the kinds of events within one second. */
  readonly rank: number;
  /** Settles what nothing else does, so that every copy decides alike. */
  readonly eventId: string;
}

/** What the order of events on an invoice depends on. */
export interface InvoiceSighting {
  readonly status: InvoiceStatus;
  readonly amountPaid: number;
  readonly moment: InvoiceMoment;
}

const PROGRESS: Readonly<Record<InvoiceStatus, number>> = { draft: 0, open: 1, uncollectible: 2, paid: 3, void: 3 };

/** An invoice that is paid or void stays so. https://docs.stripe.com/invoicing/overview#invoice-statuses */
const isSettled = (status: InvoiceStatus): boolean => status === 'paid' || status === 'void';

/**
 * Whether only the processor knows which of two different states came last: its events tell the second, and within one
 * an invoice that stands where it stood may have changed in either order.
 */
export const inDoubt = (next: InvoiceSighting, known: InvoiceSighting): boolean =>
  next.status === known.status && next.moment.at.getTime() === known.moment.at.getTime();

/** Whether the processor's answer may replace what is known: a settled invoice stays settled. */
export const mayBecome = (known: InvoiceStatus, answer: InvoiceStatus): boolean =>
  !isSettled(known) || isSettled(answer);

/** Whether `next` replaces `known`: a settled invoice stays settled, then the newer event wins, then the further one. */
export function supersedes(next: InvoiceSighting, known: InvoiceSighting): boolean {
  const order = [
    Number(isSettled(next.status)) - Number(isSettled(known.status)),
    next.moment.at.getTime() - known.moment.at.getTime(),
    PROGRESS[next.status] - PROGRESS[known.status],
    next.moment.rank - known.moment.rank,
    next.amountPaid - known.amountPaid,
    next.moment.eventId > known.moment.eventId ? 1 : -1,
  ];
  return (order.find(difference => difference !== 0) ?? -1) > 0;
}
