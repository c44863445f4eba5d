import { processorEnv, serviceEnv } from '@billing/service/env';

/** What customers reads from its environment. */
export const customersEnv = serviceEnv.extend(processorEnv.shape);
