import { processorEnv, serviceEnv } from '@billing/service/env';
import { z } from 'zod';

/** The service's variables beside those of every service. */
export const webhooksEnv = serviceEnv.extend(processorEnv.shape).extend({
  /** Where Stripe reaches the gateway; the webhook URL is made from it. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** How often each team's events at Stripe are scanned for events that no webhook delivered. */
  RECONCILE_INTERVAL_SECONDS: z.coerce.number().min(1).max(86_400).default(300),
  /** How old an event must be to count as missed: its webhook may be on its way. */
  RECONCILE_GRACE_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  /** How long the payloads of events that did not fail are stored. */
  PAYLOAD_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** Pauses between attempts to find an event's project, `1,5,30`; after one more attempt it has failed. */
  ROUTING_PAUSES_SECONDS: z
    .string()
    .transform(text => text.split(',').map(Number))
    .pipe(z.array(z.number().positive().max(86_400)).max(20))
    .optional(),
});
