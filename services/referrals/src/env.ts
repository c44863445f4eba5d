import { processorEnv, serviceEnv } from '@billing/service/env';

/** What referrals reads beside what every service reads: how to reach the teams' processor accounts. */
export const referralsEnv = serviceEnv.extend(processorEnv.shape);
