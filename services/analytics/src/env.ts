import { serviceEnv } from '@billing/service/env';

/** Analytics reads what every service reads, and nothing else. */
export const analyticsEnv = serviceEnv;
