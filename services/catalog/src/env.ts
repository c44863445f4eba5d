import { processorEnv, serviceEnv } from '@billing/service/env';

/** What the catalog reads from its environment. */
export const catalogEnv = serviceEnv.extend(processorEnv.shape);
