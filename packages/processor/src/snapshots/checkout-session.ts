import { parseObject } from './fields.ts';
import { knownWordOf, reference, shortText, text, unixTime } from './values.ts';

const MODES = ['subscription', 'payment', 'setup'] as const;

const mode = knownWordOf(MODES);

/** Parses a checkout session of any API version; very old versions have no `created`. */
export const readCheckoutSession = (raw: unknown) =>
  parseObject(raw, session => ({
    id: session.required('id', shortText),
    /** Null for a mode that is newer than this service. */
    mode: session.optional('mode', mode),
    status: session.optional('status', shortText),
    /** `paid`, `unpaid` or `no_payment_required` (a trial). */
    paymentStatus: session.required('payment_status', shortText),
    customerId: session.optional('customer', reference),
    /** Set once a session in subscription mode is complete. */
    subscriptionId: session.optional('subscription', reference),
    setupIntentId: session.optional('setup_intent', reference),
    paymentIntentId: session.optional('payment_intent', reference),
    /** Of a hosted session that is open. */
    url: session.optional('url', text),
    /** Of an embedded session: shows it to the customer. */
    clientSecret: session.optional('client_secret', text),
    metadata: session.metadata(),
    createdAt: session.optional('created', unixTime) ?? new Date(0),
  }));

/** A checkout session of the processor. */
export type CheckoutSessionSnapshot = Readonly<ReturnType<typeof readCheckoutSession>>;
