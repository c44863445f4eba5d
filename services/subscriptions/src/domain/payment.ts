/** How an attempt to pay ended. */
export type PaymentStatus = 'succeeded' | 'failed';

export type PaymentKind = 'payment_intent' | 'charge';

/** What the order of events on a payment depends on. */
export interface PaymentState {
  readonly status: PaymentStatus;
  /** The processor's time of the event. */
  readonly at: Date;
  /** Decides when nothing else does, so that every copy of the service decides alike. */
  readonly eventId: string;
}

/** Returns whether an event's state replaces the recorded one: a success stays, then the newer event wins. */
export function supersedes(observed: PaymentState, recorded: PaymentState): boolean {
  const order = [
    Number(observed.status === 'succeeded') - Number(recorded.status === 'succeeded'),
    observed.at.getTime() - recorded.at.getTime(),
    observed.eventId > recorded.eventId ? 1 : -1,
  ];
  return (order.find(difference => difference !== 0) ?? -1) > 0;
}
