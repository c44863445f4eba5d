import type { z } from 'zod';
import type { analytics, analyticsHistory, analyticsSubscription } from '../../resources/analytics.ts';
import { exampleIds, updatedAt } from './shared.ts';

export const exampleAnalytics = {
  mrr: 2999,
  mrrTrialing: 0,
  mrrPaused: 0,
  mrrExcluded: { tiered: 0, metered: 0, otherCurrency: 0 },
  mrrByCurrency: { usd: 2999 },
  customerCount: 2,
  churnRate: 0,
  trialConversion: { ended: 4, converted: 3, rate: 75 },
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

export const exampleAnalyticsSubscription = {
  subscriptionId: exampleIds.subscription,
  customerId: exampleIds.customer,
  status: 'active',
  currency: 'usd',
  amount: '2999',
  reason: null,
  converted: null,
} as const satisfies z.input<typeof analyticsSubscription>;

export const exampleAnalyticsHistory = {
  currency: 'usd',
  history: [
    {
      from: '2026-03-01',
      date: '2026-03-01',
      mrr: 0,
      customerCount: 0,
      newMrr: 0,
      expansionMrr: 0,
      reactivatedMrr: 0,
      contractionMrr: 0,
      churnedMrr: 0,
      netMrr: 0,
    },
    {
      from: '2026-03-02',
      date: '2026-03-02',
      mrr: 2999,
      customerCount: 2,
      newMrr: 2999,
      expansionMrr: 0,
      reactivatedMrr: 0,
      contractionMrr: 0,
      churnedMrr: 0,
      netMrr: 2999,
    },
  ],
  totals: { newMrr: 2999, expansionMrr: 0, reactivatedMrr: 0, contractionMrr: 0, churnedMrr: 0, netMrr: 2999 },
  asOf: updatedAt,
} satisfies z.input<typeof analyticsHistory>;
