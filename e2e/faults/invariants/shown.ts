import type {
  Analytics,
  Customer,
  Invoice,
  Price,
  ReferralCodeHistory,
  ReferralCredit,
  Subscription,
  WebhookEvent,
} from '@billing/client';
import { ok } from '../../system/http.ts';
import type { Tenant } from '../../system/tenant.ts';

/** Everything a tenant can read of its project. */
export interface Shown {
  readonly subscriptions: readonly Subscription[];
  readonly customers: readonly Customer[];
  readonly invoices: readonly Invoice[];
  readonly prices: readonly Price[];
  readonly codes: readonly ReferralCodeHistory[];
  readonly credits: readonly ReferralCredit[];
  /** The project's, and those of the team that found no project. */
  readonly events: readonly WebhookEvent[];
  readonly analytics: Analytics;
}

const ALL = { limit: 100 } as const;

/** Reads it page by page; nothing may change meanwhile. */
export async function readShown(tenant: Tenant): Promise<Shown> {
  const { billing } = tenant;
  const codes = await Array.fromAsync(billing.referrals.listCodes({ ...ALL, activeOnly: false }));
  return {
    subscriptions: await Array.fromAsync(billing.subscriptions.list({ ...ALL, activeOnly: false })),
    customers: await Array.fromAsync(billing.customers.list(ALL)),
    invoices: await Array.fromAsync(billing.invoices.list(ALL)),
    prices: await Array.fromAsync(billing.prices.list({ ...ALL, activeOnly: false })),
    codes: await Promise.all(codes.map(({ code }) => billing.referrals.getCode(code))),
    credits: await Array.fromAsync(billing.referrals.listCredits(ALL)),
    events: await readEvents(tenant),
    analytics: await billing.analytics.get(),
  };
}

/** As a member of the team: an API key does not see what found no project. */
export async function readEvents({ user, P }: Pick<Tenant, 'user' | 'P'>): Promise<WebhookEvent[]> {
  const events: WebhookEvent[] = [];
  for (;;) {
    const page = await ok(user.get(`${P}/webhook-events?limit=${ALL.limit}&offset=${events.length}`));
    events.push(...page.webhookEvents);
    if (!page.pagination.hasMore) return events;
  }
}
