import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { CustomerId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination, wholeListQuery } from '../pagination.ts';
import {
  appliedReferral,
  EXAMPLE_REFEREE_ID,
  CREDIT_STATUSES,
  referral,
  REFERRAL_STATUSES,
  referralApply,
  referralCode,
  referralCodeCreate,
  referralConfig,
  referralConfigUpdate,
  referralCredit,
  referralOfCode,
} from '../resources/referral.ts';
import { booleanText } from '../text.ts';

const read = projectAccess('referrals:read');
const write = projectAccess('referrals:write');
const path = `${PROJECT_PATH}/referrals` as const;

export const referralsOperations = declareOperations('referrals', {
  getReferralConfig: {
    route: `GET ${path}/config`,
    access: read,
    summary: 'Get the referral program of the project',
    response: z.object({ config: referralConfig }),
  },
  updateReferralConfig: {
    route: `PUT ${path}/config`,
    access: write,
    summary: 'Set the referral program of the project',
    body: referralConfigUpdate,
    response: z.object({ config: referralConfig }),
  },
  listReferralCodes: {
    route: `GET ${path}/codes`,
    access: read,
    summary: 'List referral codes, by default only active ones',
    query: z.strictObject({
      activeOnly: booleanText.default(true).describe('Whether to return only active codes.'),
      customerId: CustomerId.schema.optional().describe('Only codes of this referrer.'),
      ...pageQuery,
    }),
    response: z.object({ codes: z.array(referralCode), pagination }),
    example: { query: { activeOnly: 'true', customerId: CustomerId.example } },
  },
  createReferralCode: {
    route: `POST ${path}/codes`,
    access: write,
    summary: 'Create a code for a referrer, who can have only one active code',
    body: referralCodeCreate,
    status: 201,
    response: z.object({ code: referralCode }),
    problems: ['customer_not_found', 'referral_code_exists', 'quota_exceeded'],
  },
  getReferralCode: {
    route: `GET ${path}/codes/:code`,
    access: read,
    summary: 'Get a code and its referrals, newest first, by default 100 of them',
    query: z.strictObject(wholeListQuery),
    response: z.object({
      code: referralCode.omit({ projectId: true }),
      referrals: z.array(referralOfCode),
      pagination,
    }),
    problems: ['referral_code_not_found'],
  },
  deactivateReferralCode: {
    route: `DELETE ${path}/codes/:code`,
    access: write,
    summary: 'Deactivate a code; its pending referrals stay',
    response: z.object({ code: z.object({ code: referralCode.shape.code, isActive: z.literal(false) }) }),
    problems: ['referral_code_not_found'],
  },
  applyReferral: {
    route: `POST ${path}/apply`,
    access: read,
    summary: 'Apply a code to a new customer',
    body: referralApply,
    status: 201,
    response: z.object({ referral: appliedReferral }),
    problems: [
      'referral_code_not_found',
      'customer_not_found',
      'referral_code_inactive',
      'referral_program_disabled',
      'referral_self',
      'referral_already_applied',
      'referral_already_subscribed',
    ],
  },
  listReferrals: {
    route: `GET ${path}`,
    access: read,
    summary: 'List referrals: who referred a customer, or whom a customer referred',
    query: z.strictObject({
      refereeCustomerId: CustomerId.schema.optional().describe('Only of this customer, who was referred.'),
      referrerCustomerId: CustomerId.schema.optional().describe('Only of this customer, who referred others.'),
      status: z.enum(REFERRAL_STATUSES).optional().describe('Only referrals with this status.'),
      ...pageQuery,
    }),
    response: z.object({ referrals: z.array(referral), pagination }),
    example: { query: { refereeCustomerId: EXAMPLE_REFEREE_ID } },
  },
  listReferralCredits: {
    route: `GET ${path}/credits`,
    access: read,
    summary: 'List the credits that conversions earned',
    query: z.strictObject({
      status: z.enum(CREDIT_STATUSES).optional().describe('Only credits with this status.'),
      customerId: CustomerId.schema.optional().describe('Only credits of this customer.'),
      ...pageQuery,
    }),
    response: z.object({ credits: z.array(referralCredit), pagination }),
    example: { query: { status: 'credited', customerId: CustomerId.example } },
  },
  retryReferralCredit: {
    route: `POST ${path}/credits/:creditId/retry`,
    access: write,
    summary: 'Send a credit again that failed',
    status: 202,
    response: z.object({ credit: referralCredit }),
    problems: ['referral_credit_not_found', 'referral_credit_not_failed'],
    example: {
      response: { credit: { status: 'pending', attempts: 0, processorTransactionId: null, creditedAt: null } },
    },
  },
});
