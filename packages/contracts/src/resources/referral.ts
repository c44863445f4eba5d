import { z } from 'zod';
import { CustomerId, ProjectId, ReferralId } from '../ids.ts';
import { currency, unitAmount } from '../money.ts';
import { timestamp } from '../timestamp.ts';

/** Eight letters and digits. */
export const referralCodeText = z.string().regex(/^[0-9A-Za-z]{8}$/, 'A referral code is 8 letters and digits.');

/** Amounts are in the smallest unit of `currency`. */
export const referralConfig = z.object({
  enabled: z.boolean(),
  referrerCreditAmount: z.int(),
  refereeCreditAmount: z.int(),
  currency: z.string(),
  projectId: ProjectId.schema,
});
export type ReferralConfig = z.output<typeof referralConfig>;

export const referralConfigUpdate = z.strictObject({
  enabled: z.boolean(),
  referrerCreditAmount: unitAmount,
  refereeCreditAmount: unitAmount,
  currency: currency.default('usd'),
});

export const referralCode = z.object({
  code: z.string(),
  customerId: CustomerId.schema,
  projectId: ProjectId.schema,
  isActive: z.boolean(),
  createdAt: timestamp,
});
export type ReferralCode = z.output<typeof referralCode>;

export const referralCodeCreate = z.strictObject({ customerId: CustomerId.schema });

export const REFERRAL_STATUSES = ['pending', 'converted'] as const;
export type ReferralStatus = (typeof REFERRAL_STATUSES)[number];

export const referralApply = z.strictObject({ code: referralCodeText, refereeCustomerId: CustomerId.schema });

/** Who referred whom with which code; the status only changes from `pending` to `converted`. */
export const referral = z.object({
  id: ReferralId.schema,
  code: z.string(),
  referrerCustomerId: CustomerId.schema,
  refereeCustomerId: CustomerId.schema,
  status: z.enum(REFERRAL_STATUSES),
  createdAt: timestamp,
  convertedAt: timestamp.nullable(),
});

/** A referral in the response of `applyReferral`. */
export const appliedReferral = referral.omit({ convertedAt: true });

/** A referral in the response of `getReferralCode`. */
export const referralOfCode = referral.omit({ code: true, referrerCustomerId: true });

export const CREDIT_STATUSES = ['pending', 'credited', 'failed'] as const;
export const CREDIT_SIDES = ['referrer', 'referee'] as const;

const CREDIT_ID = new RegExp(`^cred_(${CREDIT_SIDES.join('|')})_([0-9A-Za-z]{20,64})$`);

/** The id of a credit: the side, and the random part of the referral's id. */
export const creditId = z.string().regex(CREDIT_ID, 'Expected an id that starts with cred_ and the name of a side.');

interface CreditKey {
  readonly referralId: ReferralId;
  readonly side: (typeof CREDIT_SIDES)[number];
}

/** Returns the public id of one side's credit for a referral. */
export const creditIdOf = ({ referralId, side }: CreditKey): string => referralId.replace(/^ref_/, `cred_${side}_`);

/** Returns the referral and the side that a valid id names. */
export function parseCreditId(id: string): CreditKey {
  const [, side, random = ''] = CREDIT_ID.exec(id) ?? [];
  return { referralId: `ref_${random}`, side: z.enum(CREDIT_SIDES).parse(side) };
}

/** One side's credit for a conversion; `amount` is in the smallest unit of `currency`. */
export const referralCredit = z.object({
  id: creditId,
  referralId: ReferralId.schema,
  side: z.enum(CREDIT_SIDES),
  customerId: CustomerId.schema,
  amount: z.int(),
  currency: z.string(),
  status: z.enum(CREDIT_STATUSES),
  attempts: z.int(),
  error: z.string().nullable(),
  processorTransactionId: z.string().nullable(),
  createdAt: timestamp,
  creditedAt: timestamp.nullable(),
});
