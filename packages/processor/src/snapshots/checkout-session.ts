import { z } from 'zod';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

/** A checkout session of the processor. */
export interface CheckoutSessionSnapshot {
  readonly id: string;
  /** Null for a mode that is newer than this service. */
  readonly mode: 'subscription' | 'payment' | 'setup' | null;
  readonly status: string | null;
  /** `paid`, `unpaid` or `no_payment_required`, the last for a trial. */
  readonly paymentStatus: string;
  readonly customerId: string | null;
  /** Null but in subscription mode once it is complete. */
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

/** Reads a checkout session in the shape of any API version; very old ones carry no `created`. */
export function readCheckoutSession(raw: unknown): CheckoutSessionSnapshot {
  const it = session.parse(raw);
  return {
    id: it.id,
    mode: it.mode,
    status: it.status,
    paymentStatus: it.payment_status,
    customerId: it.customer,
    subscriptionId: it.subscription,
    setupIntentId: it.setup_intent,
    paymentIntentId: it.payment_intent,
    url: it.url,
    metadata: it.metadata,
    createdAt: it.created ?? new Date(0),
  };
}
