import { knownWordOf, parseObject, reference, text, unixTime } from './fields.ts';

const MODES = ['subscription', 'payment', 'setup'] as const;

/** A checkout session of the processor. */
export interface CheckoutSessionSnapshot {
  readonly id: string;
  /** Null for a mode that is newer than this service. */
  readonly mode: (typeof MODES)[number] | null;
  readonly status: string | null;
  /** `paid`, `unpaid` or `no_payment_required` (a trial). */
  readonly paymentStatus: string;
  readonly customerId: string | null;
  /** Set once a session in subscription mode is complete. */
  readonly subscriptionId: string | null;
  readonly setupIntentId: string | null;
  readonly paymentIntentId: string | null;
  readonly url: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const mode = knownWordOf(MODES);

/** Parses a checkout session of any API version; very old versions have no `created`. */
export const readCheckoutSession = (raw: unknown): CheckoutSessionSnapshot =>
  parseObject(raw, session => ({
    id: session.required('id', text),
    mode: session.optional('mode', mode),
    status: session.optional('status', text),
    paymentStatus: session.required('payment_status', text),
    customerId: session.optional('customer', reference),
    subscriptionId: session.optional('subscription', reference),
    setupIntentId: session.optional('setup_intent', reference),
    paymentIntentId: session.optional('payment_intent', reference),
    url: session.optional('url', text),
    metadata: session.metadata(),
    createdAt: session.optional('created', unixTime) ?? new Date(0),
  }));
