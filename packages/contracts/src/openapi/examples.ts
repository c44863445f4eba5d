import type { z } from 'zod';
import type { analytics, analyticsHistory } from '../resources/analytics.ts';
import type { apiKey } from '../resources/api-key.ts';
import type { customer } from '../resources/customer.ts';
import type { invoice } from '../resources/invoice.ts';
import type { price } from '../resources/price.ts';
import type { processorAccount } from '../resources/processor-account.ts';
import type { product } from '../resources/product.ts';
import type {
  appliedReferral,
  referralCode,
  referralConfig,
  referralCredit,
  referralOfCode,
} from '../resources/referral.ts';
import type { subscription } from '../resources/subscription.ts';
import type { member, project, team } from '../resources/team.ts';
import type { webhookEvent } from '../resources/webhook-event.ts';

/** The ids of one example company; every example uses them, so the examples fit together. */
export const exampleIds = {
  team: 'team_4k2v8m6qz0r3w7n5t1x9b2c8',
  project: 'proj_7h3j9s5d1f8g2k6m4p0q7r3v',
  product: 'pp_2w6x0y4z8a3b7c1d5e9f2g6h',
  price: 'pri_5m9n3p7q1r5s9t3v7w1x5y9z',
  customer: 'pc_8b2c6d0e4f8g2h6j0k4m8n2p',
  referee: 'pc_1q5r9s3t7v1w5x9y3z7a1b5c',
  subscription: 'ps_6d0e4f8g2h6j0k4m8n2p6q0r',
  invoice: 'pinv_3t7v1w5x9y3z7a1b5c9d3e7f',
  apiKey: 'key_9g3h7j1k5m9n3p7q1r5s9t3v',
  referral: 'ref_0w4x8y2z6a0b4c8d2e6f0g4h',
  portalSession: 'portal_sess_4j8k2m6n0p4q8r2s6t0v4w8x',
  user: 'Zq7RkT2mYp9LwX4c',
  referralCode: 'H7KQ2MXP',
  portalToken: 'b0Jx2yG7v1nQ4mT8kR5sW9zL3cF6hD0pA2eU7iY1oXk',
  webhookEvent: 'evt_1RqZbK2eZvKYlo2CkV3mT9sX',
} as const;

const createdAt = '2026-03-02T09:30:00.000Z';
const updatedAt = '2026-03-02T09:31:12.000Z';
const periodEnd = '2026-04-02T09:30:00.000Z';

export const examplePagination = { limit: 50, offset: 0, total: 1, hasMore: false } as const;

export const exampleTeam = { id: exampleIds.team, name: 'Acme', createdAt } as const satisfies z.input<typeof team>;

export const exampleMember = {
  userId: exampleIds.user,
  email: 'grace@acme.example',
  name: 'Grace Hopper',
  role: 'member',
  createdAt,
} as const satisfies z.input<typeof member>;

export const exampleProject = {
  id: exampleIds.project,
  teamId: exampleIds.team,
  name: 'Shop',
  baseCurrency: 'usd',
  createdAt,
} as const satisfies z.input<typeof project>;

export const exampleApiKey = {
  id: exampleIds.apiKey,
  name: 'backend',
  scopes: ['customers:write', 'subscriptions:write'],
  prefix: 'bil_test_',
  last4: '0aXr',
  expiresAt: null,
  lastUsedAt: null,
  createdAt,
} satisfies z.input<typeof apiKey>;

/** Not a real secret: its checksum is wrong. */
export const exampleSecret = 'bil_test_EXAMPLEexampleEXAMPLEexampleEXAM0aXr';

export const exampleProduct = {
  id: exampleIds.product,
  name: 'Pro',
  description: 'Everything, for one team',
  isActive: true,
  processorProductId: 'prod_U2bQ8xVd3KfL1a',
  metadata: { tier: 'pro' },
  projectId: exampleIds.project,
  createdAt,
} as const satisfies z.input<typeof product>;

export const examplePrice = {
  id: exampleIds.price,
  productId: exampleIds.product,
  unitAmount: 2999,
  currency: 'usd',
  type: 'recurring',
  interval: 'month',
  intervalCount: 1,
  isActive: true,
  processorPriceId: 'price_1RqZ4K2eZvKYlo2C8nTbW5dE',
  metadata: {},
  createdAt,
} as const satisfies z.input<typeof price>;

export const exampleCustomer = {
  id: exampleIds.customer,
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  processorCustomerId: 'cus_U2bR1mXq7PzT4s',
  metadata: { accountId: '4711' },
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} as const satisfies z.input<typeof customer>;

export const exampleSubscription = {
  id: exampleIds.subscription,
  customerId: exampleIds.customer,
  processorSubscriptionId: 'sub_1RqZ9c2eZvKYlo2CrX0hJ6kL',
  status: 'active',
  priceId: exampleIds.price,
  quantity: 1,
  cancelAtPeriodEnd: false,
  currentPeriodStart: createdAt,
  currentPeriodEnd: periodEnd,
  metadata: {},
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} as const satisfies z.input<typeof subscription>;

export const exampleInvoice = {
  id: exampleIds.invoice,
  processorInvoiceId: 'in_1RqZ9c2eZvKYlo2CfQ7wM3nB',
  customerId: exampleIds.customer,
  subscriptionId: exampleIds.subscription,
  number: 'ACME-0001',
  status: 'paid',
  amountDue: 2999,
  amountPaid: 2999,
  amountRemaining: 0,
  currency: 'usd',
  billingReason: 'subscription_create',
  hostedInvoiceUrl: 'https://invoice.stripe.com/i/acct_1Example/test_inv_1',
  invoicePdfUrl: 'https://pay.stripe.com/invoice/acct_1Example/test_inv_1/pdf',
  periodStart: createdAt,
  periodEnd,
  dueDate: null,
  paidAt: updatedAt,
  projectId: exampleIds.project,
  createdAt,
  updatedAt,
} as const satisfies z.input<typeof invoice>;

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

export const exampleReferralOfCode = {
  id: exampleIds.referral,
  refereeCustomerId: exampleIds.referee,
  status: 'converted',
  createdAt,
  convertedAt: updatedAt,
} as const satisfies z.input<typeof referralOfCode>;

export const exampleCredit = {
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

export const exampleAnalytics = {
  mrr: 2999,
  mrrTrialing: 0,
  mrrByCurrency: { usd: 2999 },
  customerCount: 2,
  churnRate: 0,
  subscriptionBreakdown: {
    active: 1,
    trialing: 0,
    past_due: 0,
    canceled: 0,
    unpaid: 0,
    incomplete: 0,
    incomplete_expired: 0,
    paused: 0,
  },
  customerGrowth: [
    { date: '2026-03-01', count: 0 },
    { date: '2026-03-02', count: 2 },
  ],
  webhookStats: { total: 9, processed: 9, failed: 0 },
  referralStats: { totalCodes: 1, totalReferrals: 1, converted: 1 },
  asOf: updatedAt,
} satisfies z.input<typeof analytics>;

export const exampleAnalyticsHistory = {
  currency: 'usd',
  history: [
    {
      date: '2026-03-01',
      mrr: 0,
      customerCount: 0,
      newMrr: 0,
      expansionMrr: 0,
      contractionMrr: 0,
      churnedMrr: 0,
    },
    {
      date: '2026-03-02',
      mrr: 2999,
      customerCount: 2,
      newMrr: 2999,
      expansionMrr: 0,
      contractionMrr: 0,
      churnedMrr: 0,
    },
  ],
  asOf: updatedAt,
} satisfies z.input<typeof analyticsHistory>;

export const exampleProcessor = {
  connected: true,
  accountId: 'acct_1Example2eZvKYlo2',
  livemode: false,
  publishableKey: 'pk_test_example',
  secretKeyLast4: 'mple',
  webhookUrl: `https://billing.example.com/api/webhooks/processor/${exampleIds.team}`,
  apiVersion: '2026-10-28.endive',
  connectedAt: createdAt,
  updatedAt: createdAt,
} as const satisfies z.input<typeof processorAccount>;

export const exampleWebhookEvent = {
  id: exampleIds.webhookEvent,
  teamId: exampleIds.team,
  projectId: exampleIds.project,
  type: 'customer.subscription.created',
  apiVersion: '2026-10-28.endive',
  livemode: false,
  objectId: exampleSubscription.processorSubscriptionId,
  status: 'processed',
  routedBy: 'object-metadata',
  attempts: 1,
  error: null,
  processorCreatedAt: createdAt,
  receivedAt: createdAt,
  processedAt: createdAt,
  recovered: false,
} as const satisfies z.input<typeof webhookEvent>;

/** A shortened webhook event. Stripe: https://docs.stripe.com/api/events/object */
export const exampleProcessorEvent = {
  id: exampleIds.webhookEvent,
  object: 'event',
  type: 'customer.subscription.created',
  created: 1_772_443_800,
  livemode: false,
  api_version: '2026-10-28.endive',
  data: { object: { id: exampleSubscription.processorSubscriptionId, object: 'subscription', status: 'active' } },
} as const;
