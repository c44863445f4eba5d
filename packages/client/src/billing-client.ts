import type { BillingError } from './billing-error.ts';
import type { CallOptions, ClientOptions, WriteOptions } from './options.ts';
import { List, type Page, type PageOptions } from './pages.ts';
import { openTransport, type Request, type Send } from './transport.ts';
import type * as wire from './wire.ts';

/**
 * A client of one project's billing API, for backends. Every method rejects with a `BillingError` when the call fails.
 *
 * @example
 * const billing = new BillingClient({ baseUrl, apiKey, teamId, projectId });
 * const customer = await billing.customers.create({ email: 'ada@example.com' });
 * const { url } = await billing.checkout.create({ customerId: customer.id, priceId, successUrl, cancelUrl });
 */
export class BillingClient {
  readonly #send: Send;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(options: ClientOptions) {
    this.#send = openTransport(options);
  }

  readonly products = {
    /** Creates a product here and at the processor. */
    create: async (body: wire.ProductCreate, options?: WriteOptions): Promise<wire.Product> =>
      (await this.#post<{ product: wire.Product }>('/products', body, options)).product,
    /** Lists active products; all with `activeOnly: false`. */
    list: (filters?: wire.ProductFilters, options?: CallOptions) =>
      this.#list<wire.Product>('/products', 'products', filters, options),
    get: (id: string, options?: CallOptions) => this.#get<wire.Product>(`/products/${segment(id)}`, undefined, options),
    update: async (id: string, body: wire.ProductUpdate, options?: CallOptions): Promise<wire.Product> =>
      (await this.#patch<{ product: wire.Product }>(`/products/${segment(id)}`, body, options)).product,
    /** Archives the product at the processor and deletes it here. */
    delete: (id: string, options?: CallOptions) => this.#delete(`/products/${segment(id)}`, options),
  };

  readonly prices = {
    /** Creates a price. Its amount, currency and interval can't be changed; create another price instead. */
    create: async (body: wire.PriceCreate, options?: WriteOptions): Promise<wire.Price> =>
      (await this.#post<{ price: wire.Price }>('/prices', body, options)).price,
    /** Lists active prices; all with `activeOnly: false`. */
    list: (filters?: wire.PriceFilters, options?: CallOptions) =>
      this.#list<wire.Price>('/prices', 'prices', filters, options),
    get: (id: string, options?: CallOptions) => this.#get<wire.Price>(`/prices/${segment(id)}`, undefined, options),
    update: async (id: string, body: wire.PriceUpdate, options?: CallOptions): Promise<wire.Price> =>
      (await this.#patch<{ price: wire.Price }>(`/prices/${segment(id)}`, body, options)).price,
    /** Deactivates the price at the processor and deletes it here. Subscriptions that use it continue. */
    delete: (id: string, options?: CallOptions) => this.#delete(`/prices/${segment(id)}`, options),
  };

  readonly customers = {
    /** Creates a customer here, and links it to the processor's customer with this e-mail or creates one there. */
    create: async (body: wire.CustomerCreate, options?: WriteOptions): Promise<wire.Customer> =>
      (await this.#post<{ customer: wire.Customer }>('/customers', body, options)).customer,
    /** Lists customers; with `email` or `externalId`, the one that has it. */
    list: (filters?: wire.CustomerFilters, options?: CallOptions) =>
      this.#list<wire.Customer>('/customers', 'customers', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Customer> =>
      (await this.#get<{ customer: wire.Customer }>(`/customers/${segment(id)}`, undefined, options)).customer,
    /** Updates a customer. `metadata` replaces the previous metadata; null clears `name` and `externalId`. */
    update: async (id: string, body: wire.CustomerUpdate, options?: CallOptions): Promise<wire.Customer> =>
      (await this.#patch<{ customer: wire.Customer }>(`/customers/${segment(id)}`, body, options)).customer,
    /** Deletes the customer here, but not at the processor. */
    delete: (id: string, options?: CallOptions) => this.#delete(`/customers/${segment(id)}`, options),
  };

  readonly subscriptions = {
    /** Lists active and trialing subscriptions; all with `activeOnly: false`, those of one `status` with it. */
    list: (filters?: wire.SubscriptionFilters, options?: CallOptions) =>
      this.#list<wire.Subscription>('/subscriptions', 'subscriptions', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Subscription> =>
      (await this.#get<{ subscription: wire.Subscription }>(`/subscriptions/${segment(id)}`, undefined, options))
        .subscription,
    /** Schedules the end of a subscription for the end of its paid period. */
    cancelAtPeriodEnd: (id: string, options?: CallOptions) => this.#schedule(id, true, options),
    /** Takes a scheduled cancellation back. */
    resume: (id: string, options?: CallOptions) => this.#schedule(id, false, options),
    /** Ends a subscription now. This cannot be undone. */
    cancelNow: async (id: string, options?: CallOptions): Promise<wire.CanceledSubscription> => {
      const isDone = ({ code }: BillingError) => code === 'subscription_ended';
      const request: Request = { method: 'DELETE', path: `/subscriptions/${segment(id)}`, options, isDone };
      const body = await this.#send<{ subscription: wire.CanceledSubscription } | undefined>(request);
      // Without a body it had ended already, so the id is that of an existing subscription.
      return body?.subscription ?? { id: id as wire.Subscription['id'], status: 'canceled', cancelAtPeriodEnd: false };
    },
  };

  readonly checkout = {
    /** Opens a page of the processor on which the customer pays. Send the customer to its `url`. */
    create: (body: wire.CheckoutCreate, options?: WriteOptions) =>
      this.#post<wire.CheckoutSession>('/checkout', body, options),
  };

  readonly invoices = {
    list: (filters?: wire.InvoiceFilters, options?: CallOptions) =>
      this.#list<wire.Invoice>('/invoices', 'invoices', filters, options),
  };

  readonly payments = {
    list: (filters?: wire.PaymentFilters, options?: CallOptions) =>
      this.#list<wire.Payment>('/payments', 'payments', filters, options),
  };

  readonly portal = {
    /** Creates a link with which one customer sees and changes their billing for `ttlMs` milliseconds. */
    create: (body: wire.PortalSessionCreate, options?: WriteOptions) =>
      this.#post<wire.PortalSession>('/portal', body, options),
    /** Lists the links that work now, without their tokens. */
    list: (filters?: wire.PortalSessionFilters, options?: CallOptions) =>
      this.#list<wire.LivePortalSession>('/portal/sessions', 'sessions', filters, options),
    /** Revokes a link at once. */
    revoke: (sessionId: string, options?: CallOptions) =>
      this.#delete(`/portal/sessions/${segment(sessionId)}`, options),
  };

  readonly referrals = {
    config: async (options?: CallOptions): Promise<wire.ReferralConfig> =>
      (await this.#get<{ config: wire.ReferralConfig }>('/referrals/config', undefined, options)).config,
    updateConfig: async (body: wire.ReferralConfigUpdate, options?: CallOptions): Promise<wire.ReferralConfig> => {
      const request: Request = { method: 'PUT', path: '/referrals/config', body, options };
      return (await this.#send<{ config: wire.ReferralConfig }>(request)).config;
    },
    createCode: async (body: wire.ReferralCodeCreate, options?: WriteOptions): Promise<wire.ReferralCode> =>
      (await this.#post<{ code: wire.ReferralCode }>('/referrals/codes', body, options)).code,
    /** Lists active codes; all with `activeOnly: false`. */
    listCodes: (filters?: wire.ReferralCodeFilters, options?: CallOptions) =>
      this.#list<wire.ReferralCode>('/referrals/codes', 'codes', filters, options),
    /** Returns a code and a page of its referrals, newest first; 100 per page by default. */
    getCode: (code: string, page?: PageOptions, options?: CallOptions) =>
      this.#get<wire.ReferralCodeHistory>(`/referrals/codes/${segment(code)}`, page, options),
    deactivateCode: (code: string, options?: CallOptions) => this.#delete(`/referrals/codes/${segment(code)}`, options),
    /** Records who referred a new customer. The referral converts when that customer subscribes. */
    apply: async (body: wire.ReferralApply, options?: WriteOptions): Promise<wire.AppliedReferral> =>
      (await this.#post<{ referral: wire.AppliedReferral }>('/referrals/apply', body, options)).referral,
    listCredits: (filters?: wire.ReferralCreditFilters, options?: CallOptions) =>
      this.#list<wire.ReferralCredit>('/referrals/credits', 'credits', filters, options),
  };

  readonly analytics = {
    get: (window?: wire.AnalyticsWindow, options?: CallOptions) =>
      this.#get<wire.Analytics>('/analytics', window, options),
    /** Returns revenue, its movements, and customers for each day. */
    history: (window?: wire.AnalyticsHistoryWindow, options?: CallOptions) =>
      this.#get<wire.AnalyticsHistory>('/analytics/history', window, options),
    /** Lists the subscriptions behind `mrr`, those that churned, or those that `mrr` leaves out. */
    subscriptions: (filters: wire.AnalyticsSubscriptionFilters, options?: CallOptions) =>
      this.#list<wire.AnalyticsSubscription>('/analytics/subscriptions', 'subscriptions', filters, options),
  };

  readonly webhookEvents = {
    list: (filters?: wire.WebhookEventFilters, options?: CallOptions) =>
      this.#list<wire.WebhookEvent>('/webhook-events', 'webhookEvents', filters, options),
  };

  #get<Body>(path: string, query: Request['query'], options: CallOptions | undefined): Promise<Body> {
    return this.#send({ method: 'GET', path, query, options });
  }

  #post<Body>(path: string, body: unknown, options: WriteOptions | undefined): Promise<Body> {
    return this.#send({ method: 'POST', path, body, options });
  }

  #patch<Body>(path: string, body: unknown, options: CallOptions | undefined): Promise<Body> {
    return this.#send({ method: 'PATCH', path, body, options });
  }

  async #delete(path: string, options: CallOptions | undefined): Promise<void> {
    await this.#send({ method: 'DELETE', path, options, isDone: ({ status }) => status === 404 });
  }

  async #schedule(id: string, cancelAtPeriodEnd: boolean, options?: CallOptions): Promise<wire.Subscription> {
    const body = { cancelAtPeriodEnd };
    return (await this.#patch<{ subscription: wire.Subscription }>(`/subscriptions/${segment(id)}`, body, options))
      .subscription;
  }

  #list<Item>(path: string, name: string, query: PageOptions = {}, options?: CallOptions): List<Item> {
    return new List(query, async (page): Promise<Page<Item>> => {
      const body = await this.#get<Listed & Record<string, readonly Item[]>>(path, { ...query, ...page }, options);
      const { total, hasMore } = body.pagination;
      return { items: body[name] ?? [], total, hasMore };
    });
  }
}

interface Listed {
  readonly pagination: { readonly total: number; readonly hasMore: boolean };
}

/**
 * Returns an id as a segment of a path.
 * @throws TypeError for an empty id, `.` and `..`, which would lead to another path
 */
function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`An id is needed, not "${id}".`);
  return encodeURIComponent(id);
}
