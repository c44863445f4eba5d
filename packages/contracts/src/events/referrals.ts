import type { z } from 'zod';
import { ProjectId } from '../ids.ts';
import { referral, referralCode, referralCredit, type Referral, type ReferralCode } from '../resources/referral.ts';
import { version } from '../version.ts';
import { defineRecordEvent } from './record-event.ts';

const referralCodeState = referralCode.extend({ version });
type ReferralCodeState = z.output<typeof referralCodeState>;

/** Returns a code as its GET does. */
export const referralCodeOf = ({ version: _version, ...code }: ReferralCodeState): ReferralCode => code;

export const ReferralCodeCreated = defineRecordEvent('referral-code.created', referralCodeState);
export const ReferralCodeDeactivated = defineRecordEvent('referral-code.deactivated', referralCodeState);

/** A referral's whole state. */
export const referralState = referral.extend({ projectId: ProjectId.schema });
export type ReferralState = z.output<typeof referralState>;

/** Returns a referral as the history of its code has it, with the code and the referrer. */
export const referralOf = ({ projectId: _projectId, ...rest }: ReferralState): Referral => rest;

export const ReferralCreated = defineRecordEvent('referral.created', referralState);
export const ReferralConverted = defineRecordEvent('referral.converted', referralState);

const creditState = referralCredit
  .pick({ id: true, referralId: true, customerId: true, amount: true, currency: true, status: true })
  .extend({ projectId: ProjectId.schema });

/** Returns a credit as events for tenants have it. */
export const creditOf = ({ projectId: _projectId, ...credit }: z.output<typeof creditState>) => credit;

/** One side's credit reached the customer's balance at the processor, or failed for good. */
export const ReferralCreditSaved = defineRecordEvent('referral-credit.saved', creditState);
