import { z } from 'zod';
import {
  exampleAppliedReferral,
  exampleCredit,
  exampleReferralCode,
  exampleReferralConfig,
  exampleReferralOfCode,
} from '../openapi/examples/referrals.ts';
import { exampleIds, examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pageQuery, pagination, wholeListQuery } from '../pagination.ts';
import {
  appliedReferral,
  creditId,
  CREDIT_STATUSES,
  referralApply,
  referralCode,
  referralCodeCreate,
  referralCodeText,
  referralConfig,
  referralConfigUpdate,
  referralCredit,
  referralOfCode,
} from '../resources/referral.ts';
import { booleanText } from '../text.ts';

const service = 'referrals';
const read = projectAccess('referrals:read');
const write = projectAccess('referrals:write');
const path = `${PROJECT_PATH}/referrals` as const;
const { projectId: _projectId, ...exampleCodeWithoutProject } = exampleReferralCode;
const codeParams = projectParams.extend({ code: referralCodeText });

export const referralsOperations = {
  getReferralConfig: operation({
    id: 'getReferralConfig',
    service,
    method: 'GET',
    path: `${path}/config`,
    access: read,
    summary: 'Get the referral program of the project',
    params: projectParams,
    status: 200,
    response: z.object({ config: referralConfig }),
    problems: [],
    example: { response: { config: exampleReferralConfig } },
  }),
  updateReferralConfig: operation({
    id: 'updateReferralConfig',
    service,
    method: 'PUT',
    path: `${path}/config`,
    access: write,
    summary: 'Set the referral program of the project',
    params: projectParams,
    body: referralConfigUpdate,
    status: 200,
    response: z.object({ config: referralConfig }),
    problems: [],
    example: {
      body: { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300, currency: 'usd' },
      response: { config: exampleReferralConfig },
    },
  }),
  listReferralCodes: operation({
    id: 'listReferralCodes',
    service,
    method: 'GET',
    path: `${path}/codes`,
    access: read,
    summary: 'List referral codes, by default only active ones',
    params: projectParams,
    query: z.strictObject({ activeOnly: booleanText.default(true), ...pageQuery }),
    status: 200,
    response: z.object({ codes: z.array(referralCode), pagination }),
    problems: [],
    example: {
      query: { activeOnly: 'true' },
      response: { codes: [exampleReferralCode], pagination: examplePagination },
    },
  }),
  createReferralCode: operation({
    id: 'createReferralCode',
    service,
    method: 'POST',
    path: `${path}/codes`,
    access: write,
    summary: 'Create a code for a referrer, who can have only one active code',
    params: projectParams,
    body: referralCodeCreate,
    status: 201,
    response: z.object({ code: referralCode }),
    problems: ['customer_not_found', 'referral_code_exists'],
    example: { body: { customerId: exampleIds.customer }, response: { code: exampleReferralCode } },
  }),
  getReferralCode: operation({
    id: 'getReferralCode',
    service,
    method: 'GET',
    path: `${path}/codes/:code`,
    access: read,
    summary: 'Get a code and its referrals, newest first, by default 100 of them',
    params: codeParams,
    query: z.strictObject(wholeListQuery),
    status: 200,
    response: z.object({
      code: referralCode.omit({ projectId: true }),
      referrals: z.array(referralOfCode),
      pagination,
    }),
    problems: ['referral_code_not_found'],
    example: {
      response: {
        code: exampleCodeWithoutProject,
        referrals: [exampleReferralOfCode],
        pagination: { ...examplePagination, limit: 1_000 },
      },
    },
  }),
  deactivateReferralCode: operation({
    id: 'deactivateReferralCode',
    service,
    method: 'DELETE',
    path: `${path}/codes/:code`,
    access: write,
    summary: 'Deactivate a code; its pending referrals stay',
    params: codeParams,
    status: 200,
    response: z.object({ code: z.object({ code: z.string(), isActive: z.literal(false) }) }),
    problems: ['referral_code_not_found'],
    example: { response: { code: { code: exampleIds.referralCode, isActive: false } } },
  }),
  applyReferral: operation({
    id: 'applyReferral',
    service,
    method: 'POST',
    path: `${path}/apply`,
    access: read,
    summary: 'Apply a code to a new customer',
    params: projectParams,
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
    example: {
      body: { code: exampleIds.referralCode, refereeCustomerId: exampleIds.referee },
      response: { referral: exampleAppliedReferral },
    },
  }),
  listReferralCredits: operation({
    id: 'listReferralCredits',
    service,
    method: 'GET',
    path: `${path}/credits`,
    access: read,
    summary: 'List the credits that conversions earned',
    params: projectParams,
    query: z.strictObject({ status: z.enum(CREDIT_STATUSES).optional(), ...pageQuery }),
    status: 200,
    response: z.object({ credits: z.array(referralCredit), pagination }),
    problems: [],
    example: { query: { status: 'credited' }, response: { credits: [exampleCredit], pagination: examplePagination } },
  }),
  retryReferralCredit: operation({
    id: 'retryReferralCredit',
    service,
    method: 'POST',
    path: `${path}/credits/:creditId/retry`,
    access: write,
    summary: 'Send a credit again that failed',
    params: projectParams.extend({ creditId }),
    status: 202,
    response: z.object({ credit: referralCredit }),
    problems: ['referral_credit_not_found', 'referral_credit_not_failed'],
    example: {
      response: {
        credit: { ...exampleCredit, status: 'pending', attempts: 0, processorTransactionId: null, creditedAt: null },
      },
    },
  }),
};
