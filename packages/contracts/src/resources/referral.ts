import { z } from 'zod';
import { CustomerId, ProjectId, ReferralId } from '../ids.ts';
import { withDefault } from '../optional.ts';
import { AMOUNT, currency, storedCurrency, unitAmount } from '../money.ts';
import { createdAt, timestamp } from '../timestamp.ts';

/** Eight letters and digits, in upper case as codes are stored. */
export const referralCodeText = z
  .string()
  .regex(/^[0-9A-Za-z]{8}$/, 'A referral code is 8 letters and digits.')
  .toUpperCase()
  .meta({ description: 'The referral code: 8 letters and digits in any case.', example: 'H7KQ2MXP' });

const enabled = z.boolean().meta({ description: 'Whether codes can be applied.', example: true });
const credits = (amount: typeof unitAmount) => ({
  referrerCreditAmount: amount.meta({ description: `What the referrer gets. ${AMOUNT}`, example: 500 }),
  refereeCreditAmount: amount.meta({ description: `What the new customer gets. ${AMOUNT}`, example: 300 }),
});

export const referralConfig = z
  .object({ enabled, ...credits(z.int()), currency: storedCurrency, projectId: ProjectId.schema })
  .meta({
    id: 'ReferralConfig',
    description: 'The referral program of a project; amounts are in the smallest unit of the currency.',
  });
export type ReferralConfig = z.output<typeof referralConfig>;

export const referralConfigUpdate = z
  .strictObject({ enabled, ...credits(unitAmount), currency: withDefault(currency, 'usd') })
  .meta({
    id: 'ReferralConfigUpdate',
    description: 'The new configuration of the referral program.',
    example: { currency: 'usd' },
  });

export const referralCode = z
  .object({
    code: z.string().meta({ description: 'What the new customer enters.', example: 'H7KQ2MXP' }),
    customerId: CustomerId.schema.describe('The referrer.'),
    projectId: ProjectId.schema,
    isActive: z.boolean().meta({ description: 'Whether it can be applied.', example: true }),
    createdAt,
  })
  .meta({ id: 'ReferralCode', description: 'A code with which a customer refers others.' });
export type ReferralCode = z.output<typeof referralCode>;

export const referralCodeCreate = z
  .strictObject({ customerId: CustomerId.schema.describe('The referrer.') })
  .meta({ id: 'ReferralCodeCreate', description: 'A referral code to create.' });

export const REFERRAL_STATUSES = ['pending', 'converted'] as const;
export type ReferralStatus = (typeof REFERRAL_STATUSES)[number];

export const EXAMPLE_REFEREE_ID = 'pc_1q5r9s3t7v1w5x9y3z7a1b5c';
const CONVERTED = { status: 'converted', convertedAt: '2026-03-02T09:31:12.000Z' };
const refereeCustomerId = CustomerId.schema.meta({
  description: 'The new customer.',
  example: EXAMPLE_REFEREE_ID,
});

export const referralApply = z
  .strictObject({ code: referralCodeText, refereeCustomerId })
  .meta({ id: 'ReferralApply', description: 'A code and the new customer who uses it.' });

/** Who referred whom with which code; the status only changes from `pending` to `converted`. */
export const referral = z
  .object({
    id: ReferralId.schema,
    code: referralCode.shape.code.describe('The code that was applied.'),
    referrerCustomerId: CustomerId.schema.describe('The customer who referred.'),
    refereeCustomerId,
    status: z
      .enum(REFERRAL_STATUSES)
      .describe(
        'It converts when the new customer subscribes; credits follow once the subscription is active or trialing.',
      ),
    createdAt,
    convertedAt: timestamp.nullable().describe('Null while the referral is pending.'),
  })
  .meta({
    id: 'Referral',
    description: 'Who referred whom, and with which code.',
    example: CONVERTED,
  });

export type Referral = z.output<typeof referral>;

/** A referral in the response of `applyReferral`. */
export const appliedReferral = referral
  .omit({ convertedAt: true })
  .meta({ id: 'AppliedReferral', description: 'A referral. It converts when the new customer subscribes.' });

/** A referral in the response of `getReferralCode`. */
export const referralOfCode = referral
  .omit({ code: true, referrerCustomerId: true })
  .meta({ id: 'ReferralOfCode', description: 'A referral made with the code.', example: CONVERTED });

export const CREDIT_STATUSES = ['pending', 'credited', 'failed'] as const;
export const CREDIT_SIDES = ['referrer', 'referee'] as const;

const CREDIT_ID = new RegExp(`^cred_(${CREDIT_SIDES.join('|')})_([0-9A-Za-z]{20,64})$`);

/** The id of a credit: the side, and the random part of the referral's id. */
export const creditId = z
  .string()
  .regex(CREDIT_ID, 'Expected an id that starts with cred_ and the name of a side.')
  .meta({
    description: 'The id of the credit.',
    example: 'cred_referrer_0w4x8y2z6a0b4c8d2e6f0g4h',
  });

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

export const referralCredit = z
  .object({
    id: creditId,
    referralId: ReferralId.schema,
    side: z.enum(CREDIT_SIDES).describe('Whose credit it is.'),
    customerId: CustomerId.schema.describe('The customer who gets it.'),
    amount: z.int().describe(AMOUNT),
    currency: storedCurrency,
    status: z.enum(CREDIT_STATUSES).describe('Whether it is on the customer’s balance at the payment processor.'),
    attempts: z.int().describe('How often it was sent.'),
    error: z.string().nullable().describe('Why it failed; null unless it did.'),
    processorTransactionId: z
      .string()
      .nullable()
      .describe('The processor’s id of the credit; null until it is credited.'),
    createdAt,
    creditedAt: timestamp.nullable().describe('Null until it is credited.'),
  })
  .meta({
    id: 'ReferralCredit',
    description: 'The credit that one side of a conversion earned, in the smallest unit of the currency.',
    example: {
      amount: 500,
      status: 'credited',
      attempts: 1,
      processorTransactionId: 'cbtxn_1RqZcK2eZvKYlo2Cq8sV2xTd',
      creditedAt: '2026-03-02T09:31:12.000Z',
    },
  });
