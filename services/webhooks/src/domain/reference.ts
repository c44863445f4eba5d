/** Things of the processor by which a project may be known. */
export type ReferenceKind = 'customer' | 'subscription' | 'product' | 'price';

/** A thing of the processor that an event names. */
export interface Reference {
  readonly kind: ReferenceKind;
  /** The processor's id. */
  readonly id: string;
}
