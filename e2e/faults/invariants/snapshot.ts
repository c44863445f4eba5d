import type {
  Analytics,
  Customer,
  CustomerState,
  Invoice,
  Payment,
  Price,
  Product,
  ProductFeature,
  ReferralCodeHistory,
  ReferralCredit,
  Subscription,
  WebhookEvent,
} from '@billing/client';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { ok } from '../../system/http.ts';
import type { Tenant } from '../../system/tenant.ts';

/** Everything a tenant can read in its project. */
export interface Snapshot {
  readonly subscriptions: readonly Subscription[];
  readonly customers: readonly Customer[];
  readonly invoices: readonly Invoice[];
  readonly payments: readonly Payment[];
  readonly products: readonly Product[];
  readonly prices: readonly Price[];
  readonly codes: readonly ReferralCodeHistory[];
  readonly credits: readonly ReferralCredit[];
  /** Webhook events of the project, and of the team when no project was found. */
  readonly events: readonly WebhookEvent[];
  readonly analytics: Analytics;
  /** What products and prices give. */
  readonly productFeatures: readonly ProductFeature[];
  /** What each customer may use. */
  readonly states: ReadonlyMap<string, CustomerState>;
  /** The last published state of each customer; `truncated` when it was too long for an event. */
  readonly publishedStates: ReadonlyMap<string, PublishedState | 'truncated'>;
}

type PublishedState = Omit<CustomerState, 'checkout'>;

const ALL = { limit: 100 } as const;

/** Reads every list page by page. */
export async function readSnapshot(tenant: Tenant): Promise<Snapshot> {
  const { billing } = tenant;
  const customers = await Array.fromAsync(billing.customers.list(ALL));
  const codes = await Array.fromAsync(billing.referrals.listCodes({ ...ALL, activeOnly: false }));
  return {
    subscriptions: await Array.fromAsync(billing.subscriptions.list({ ...ALL, activeOnly: false })),
    customers,
    invoices: await Array.fromAsync(billing.invoices.list(ALL)),
    payments: await Array.fromAsync(billing.payments.list(ALL)),
    products: await Array.fromAsync(billing.products.list({ ...ALL, activeOnly: false })),
    prices: await Array.fromAsync(billing.prices.list({ ...ALL, activeOnly: false })),
    codes: await Promise.all(codes.map(({ code }) => billing.referrals.getCode(code))),
    credits: await Array.fromAsync(billing.referrals.listCredits(ALL)),
    events: await readWebhookEvents(tenant),
    analytics: await billing.analytics.get(),
    productFeatures: await Array.fromAsync(billing.features.listGiven(ALL)),
    states: new Map(await mapConcurrently(customers, async ({ id }) => [id, await billing.states.get(id)] as const)),
    publishedStates: await readPublishedStates(tenant),
  };
}

async function readPublishedStates({ user, P }: Tenant): Promise<Snapshot['publishedStates']> {
  const published = new Map<string, PublishedState | 'truncated'>();
  for (let after = ''; ;) {
    const page = await ok(user.get(`${P}/events?types=customer.state_changed&limit=${ALL.limit}${after}`));
    for (const { object, data, truncated } of page.events) published.set(object.id, truncated ? 'truncated' : data);
    if (!page.hasMore) return published;
    after = `&cursor=${page.nextCursor}`;
  }
}

/** Reads webhook events as a team member: an API key cannot see events without a project. */
export async function readWebhookEvents({ user, P }: Pick<Tenant, 'user' | 'P'>): Promise<WebhookEvent[]> {
  const events: WebhookEvent[] = [];
  for (let after = ''; ;) {
    const page = await ok(user.get(`${P}/webhook-events?limit=${ALL.limit}${after}`));
    events.push(...page.webhookEvents);
    if (!page.pagination.hasMore) return events;
    after = `&cursor=${page.pagination.nextCursor}`;
  }
}
