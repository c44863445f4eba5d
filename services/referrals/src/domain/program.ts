import type { ProjectId } from '@billing/contracts/ids';
import type { ReferralConfig } from '@billing/contracts/resources/referral';

/** The program of a project that never configured one. */
export const unconfiguredProgram = (projectId: ProjectId): ReferralConfig => ({
  enabled: false,
  referrerCreditAmount: 0,
  refereeCreditAmount: 0,
  currency: 'usd',
  projectId,
});
