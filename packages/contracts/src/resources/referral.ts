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

/** A referral in the response of `applyReferral`. */
export const appliedReferral = z.object({
  id: ReferralId.schema,
  code: z.string(),
  referrerCustomerId: CustomerId.schema,
  refereeCustomerId: CustomerId.schema,
  status: z.enum(REFERRAL_STATUSES),
  createdAt: timestamp,
});

/** A referral in the response of `getReferralCode`. */
export const referralOfCode = z.object({
  id: ReferralId.schema,
  refereeCustomerId: CustomerId.schema,
  status: z.enum(REFERRAL_STATUSES),
  createdAt: timestamp,
  convertedAt: timestamp.nullable(),
});

export const CREDIT_STATUSES = ['pending', 'credited', 'failed'] as const;
export const CREDIT_SIDES = ['referrer', 'referee'] as const;

/** One side's credit for a conversion; `amount` is in the smallest unit of `currency`. */
export const referralCredit = z.object({
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
