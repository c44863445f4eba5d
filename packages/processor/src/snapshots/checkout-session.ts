import { z } from 'zod';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

/** A checkout session of the processor. */
export interface CheckoutSessionSnapshot {
  readonly id: string;
  /** Null for a mode that is newer than this service. */
  readonly mode: 'subscription' | 'payment' | 'setup' | null;
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

const session = z.object({
  id: z.string(),
  mode: z.enum(['subscription', 'payment', 'setup']).nullable().catch(null),
  status: orNull(z.string()),
  payment_status: z.string(),
  customer: orNull(reference),
  subscription: orNull(reference),
  setup_intent: orNull(reference),
  payment_intent: orNull(reference),
  url: orNull(z.string()),
  metadata: processorMetadata,
  created: unixTime.optional(),
});

/** Parses a checkout session of any API version; very old versions have no `created`. */
export function readCheckoutSession(raw: unknown): CheckoutSessionSnapshot {
  const fields = session.parse(raw);
  return {
    id: fields.id,
    mode: fields.mode,
    status: fields.status,
    paymentStatus: fields.payment_status,
    customerId: fields.customer,
    subscriptionId: fields.subscription,
    setupIntentId: fields.setup_intent,
    paymentIntentId: fields.payment_intent,
    url: fields.url,
    metadata: fields.metadata,
    createdAt: fields.created ?? new Date(0),
  };
}
