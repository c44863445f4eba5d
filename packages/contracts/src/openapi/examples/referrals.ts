import type { z } from 'zod';
import type {
  appliedReferral,
  referral,
  referralCode,
  referralConfig,
  referralCredit,
  referralOfCode,
} from '../../resources/referral.ts';
import { createdAt, exampleIds, updatedAt } from './shared.ts';

export const exampleReferralConfig = {
  enabled: true,
  referrerCreditAmount: 500,
  refereeCreditAmount: 300,
  currency: 'usd',
  projectId: exampleIds.project,
} as const satisfies z.input<typeof referralConfig>;

export const exampleReferralCode = {
  code: exampleIds.referralCode,
  customerId: exampleIds.customer,
  projectId: exampleIds.project,
  isActive: true,
  createdAt,
} as const satisfies z.input<typeof referralCode>;

export const exampleAppliedReferral = {
  id: exampleIds.referral,
  code: exampleIds.referralCode,
  referrerCustomerId: exampleIds.customer,
  refereeCustomerId: exampleIds.referee,
  status: 'pending',
  createdAt,
} as const satisfies z.input<typeof appliedReferral>;

export const exampleReferral = {
  ...exampleAppliedReferral,
  status: 'converted',
  convertedAt: updatedAt,
} as const satisfies z.input<typeof referral>;

export const exampleReferralOfCode = {
  id: exampleIds.referral,
  refereeCustomerId: exampleIds.referee,
  status: 'converted',
  createdAt,
  convertedAt: updatedAt,
} as const satisfies z.input<typeof referralOfCode>;

export const exampleCredit = {
  id: exampleIds.credit,
  referralId: exampleIds.referral,
  side: 'referrer',
  customerId: exampleIds.customer,
  amount: 500,
  currency: 'usd',
  status: 'credited',
  attempts: 1,
  error: null,
  processorTransactionId: 'cbtxn_1RqZcK2eZvKYlo2Cq8sV2xTd',
  createdAt,
  creditedAt: updatedAt,
} as const satisfies z.input<typeof referralCredit>;
