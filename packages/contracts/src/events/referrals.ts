import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CustomerId, ProjectId, ReferralId } from '../ids.ts';
import { CREDIT_SIDES, referral, referralCode } from '../resources/referral.ts';
import { version } from '../version.ts';

const referralCodeState = referralCode.extend({ version });

export const ReferralCodeCreated = defineEvent('referral-code.created.v1', referralCodeState);
export const ReferralCodeDeactivated = defineEvent('referral-code.deactivated.v1', referralCodeState);

/** A referral's whole state. */
export const referralState = referral.extend({ projectId: ProjectId.schema });
export type ReferralState = z.output<typeof referralState>;

export const ReferralCreated = defineEvent('referral.created.v1', referralState);
export const ReferralConverted = defineEvent('referral.converted.v1', referralState);

/** One side's credit reached the customer's balance at the processor. */
export const ReferralCredited = defineEvent(
  'referral.credited.v1',
  z.object({
    referralId: ReferralId.schema,
    projectId: ProjectId.schema,
    side: z.enum(CREDIT_SIDES),
    customerId: CustomerId.schema,
    amount: z.int(),
    currency: z.string(),
  }),
);
