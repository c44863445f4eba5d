import { processorEnv, serviceEnv } from '@billing/service/env';
import { z } from 'zod';

/** Variables of the subscriptions service. */
export const subscriptionsEnv = serviceEnv.extend(processorEnv.shape).extend({
  /** Requests a second of a price migration to a team's account. */
  PRICE_MIGRATION_REQUESTS_PER_SECOND: z.coerce.number().min(0.1).max(100).default(20),
});
