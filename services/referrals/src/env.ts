import { processorEnv, serviceEnv } from '@billing/service/env';

/** The environment variables of referrals: those of every service, and those for the teams' processor accounts. */
export const referralsEnv = serviceEnv.extend(processorEnv.shape);
