import { processorEnv, serviceEnv } from '@billing/service/env';
import { z } from 'zod';

/** What the service reads beside what every service reads. */
export const webhooksEnv = serviceEnv.extend(processorEnv.shape).extend({
  /** Where the processor reaches the gateway; the webhook URL is made from it. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** How often each team's events at the processor are looked through for such as no webhook brought. */
  HEALING_INTERVAL_SECONDS: z.coerce.number().min(1).max(86_400).default(300),
  /** How old an event must be to be missed: its webhook may be on its way. */
  HEALING_GRACE_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  /** For how long what the processor posted is kept whole, once it came to a good end. */
  PAYLOAD_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(90),
  /** Pauses between attempts at finding an event's project, `1,5,30`; after one more attempt it has failed. */
  ROUTING_PAUSES_SECONDS: z
    .string()
    .transform(text => text.split(',').map(Number))
    .pipe(z.array(z.number().positive().max(86_400)).max(20))
    .optional(),
});
