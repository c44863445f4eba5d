import { processorEnv, serviceEnv } from '@billing/service/env';

/** What this service reads from its environment. */
export const subscriptionsEnv = serviceEnv.extend(processorEnv.shape);
