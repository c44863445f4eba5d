/** How an attempt to pay ended. */
export type PaymentStatus = 'succeeded' | 'failed';

/** What the order of events on a payment depends on. */
export interface PaymentSighting {
  readonly status: PaymentStatus;
  readonly at: Date;
  /** Settles what nothing else does, so that every copy decides alike. */
  readonly eventId: string;
}

/** Whether `next` replaces `known`: what has succeeded stays so, then the newer event wins. */
export function supersedes(next: PaymentSighting, known: PaymentSighting): boolean {
  const order = [
    Number(next.status === 'succeeded') - Number(known.status === 'succeeded'),
    next.at.getTime() - known.at.getTime(),
    next.eventId > known.eventId ? 1 : -1,
  ];
  return (order.find(difference => difference !== 0) ?? -1) > 0;
}
