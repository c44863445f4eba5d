/** Kinds of Stripe's objects whose project may be known. */
export type ReferenceKind = 'customer' | 'subscription' | 'product' | 'price';

/** One of Stripe's objects that an event names. */
export interface Reference {
  readonly kind: ReferenceKind;
  /** Stripe's id. */
  readonly id: string;
}
