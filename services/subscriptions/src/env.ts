import { processorEnv, serviceEnv } from '@billing/service/env';

/** The environment variables of the service. */
export const subscriptionsEnv = serviceEnv.extend(processorEnv.shape);
