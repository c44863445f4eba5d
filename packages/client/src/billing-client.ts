import type { BillingError } from './billing-error.ts';
import type { CallOptions, ClientOptions, WriteOptions } from './options.ts';
import { List, type Page, type PageOptions } from './pages.ts';
import { openTransport, type Request, type Send } from './transport.ts';
import type * as wire from './wire.ts';

/**
 * A project's billing, for your backend. Every method rejects with a `BillingError` for whatever is no success.
 *
 * @example
 * const billing = new BillingClient({ baseUrl, apiKey, teamId, projectId });
 * const customer = await billing.customers.create({ email: 'ada@example.com' });
 * const { url } = await billing.checkout.create({ customerId: customer.id, priceId, successUrl, cancelUrl });
 */
export class BillingClient {
  readonly #send: Send;

  /** @throws TypeError for a `baseUrl` that is no http(s) address */
  constructor(options: ClientOptions) {
    this.#send = openTransport(options);
  }

  readonly products = {
    /** Made here and at the processor. */
    create: async (body: wire.ProductCreate, options?: WriteOptions): Promise<wire.Product> =>
      (await this.#post<{ product: wire.Product }>('/products', body, options)).product,
    /** The active ones, unless `activeOnly` is false. */
    list: (filters?: wire.ProductFilters, options?: CallOptions) =>
      this.#list<wire.Product>('/products', 'products', filters, options),
    get: (id: string, options?: CallOptions) => this.#get<wire.Product>(`/products/${at(id)}`, undefined, options),
    update: async (id: string, body: wire.ProductUpdate, options?: CallOptions): Promise<wire.Product> =>
      (await this.#patch<{ product: wire.Product }>(`/products/${at(id)}`, body, options)).product,
    /** Archives it at the processor and removes it here. */
    delete: (id: string, options?: CallOptions) => this.#delete(`/products/${at(id)}`, options),
  };

  readonly prices = {
    /** Amount, currency and interval never change; make another price instead. */
    create: async (body: wire.PriceCreate, options?: WriteOptions): Promise<wire.Price> =>
      (await this.#post<{ price: wire.Price }>('/prices', body, options)).price,
    /** The active ones, unless `activeOnly` is false. */
    list: (filters?: wire.PriceFilters, options?: CallOptions) =>
      this.#list<wire.Price>('/prices', 'prices', filters, options),
    get: (id: string, options?: CallOptions) => this.#get<wire.Price>(`/prices/${at(id)}`, undefined, options),
    update: async (id: string, body: wire.PriceUpdate, options?: CallOptions): Promise<wire.Price> =>
      (await this.#patch<{ price: wire.Price }>(`/prices/${at(id)}`, body, options)).price,
    /** Deactivates it at the processor and removes it here; subscriptions that use it go on. */
    delete: (id: string, options?: CallOptions) => this.#delete(`/prices/${at(id)}`, options),
  };

  readonly customers = {
    /** Made here, and at the processor unless one with this e-mail is there to link to. */
    create: async (body: wire.CustomerCreate, options?: WriteOptions): Promise<wire.Customer> =>
      (await this.#post<{ customer: wire.Customer }>('/customers', body, options)).customer,
    list: (page?: PageOptions, options?: CallOptions) =>
      this.#list<wire.Customer>('/customers', 'customers', page, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Customer> =>
      (await this.#get<{ customer: wire.Customer }>(`/customers/${at(id)}`, undefined, options)).customer,
    /** `metadata` replaces what there was. */
    update: async (id: string, body: wire.CustomerUpdate, options?: CallOptions): Promise<wire.Customer> =>
      (await this.#patch<{ customer: wire.Customer }>(`/customers/${at(id)}`, body, options)).customer,
    /** Removes it here; the processor keeps its own. */
    delete: (id: string, options?: CallOptions) => this.#delete(`/customers/${at(id)}`, options),
  };

  readonly subscriptions = {
    /** The active and trialing ones, unless `activeOnly` is false. */
    list: (filters?: wire.SubscriptionFilters, options?: CallOptions) =>
      this.#list<wire.Subscription>('/subscriptions', 'subscriptions', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Subscription> =>
      (await this.#get<{ subscription: wire.Subscription }>(`/subscriptions/${at(id)}`, undefined, options))
        .subscription,
    /** Ends with the paid period. */
    cancelAtPeriodEnd: (id: string, options?: CallOptions) => this.#schedule(id, true, options),
    /** Takes a cancellation at the period's end back. */
    resume: (id: string, options?: CallOptions) => this.#schedule(id, false, options),
    /** Ends now; this cannot be undone. */
    cancelNow: async (id: string, options?: CallOptions): Promise<wire.CanceledSubscription> => {
      const isDone = ({ code }: BillingError) => code === 'subscription_ended';
      const request: Request = { method: 'DELETE', path: `/subscriptions/${at(id)}`, options, isDone };
      const answer = await this.#send<{ subscription: wire.CanceledSubscription } | undefined>(request);
      // Only the id of one that exists is ended.
      return (
        answer?.subscription ?? { id: id as wire.Subscription['id'], status: 'canceled', cancelAtPeriodEnd: false }
      );
    },
  };

  readonly checkout = {
    /** A page of the processor on which the customer pays; send the customer to its `url`. */
    create: (body: wire.CheckoutCreate, options?: WriteOptions) =>
      this.#post<wire.CheckoutSession>('/checkout', body, options),
  };

  readonly invoices = {
    list: (filters?: wire.InvoiceFilters, options?: CallOptions) =>
      this.#list<wire.Invoice>('/invoices', 'invoices', filters, options),
  };

  readonly portal = {
    /** A link with which one customer sees and changes what is theirs, for `ttlMs` milliseconds. */
    create: (body: wire.PortalSessionCreate, options?: WriteOptions) =>
      this.#post<wire.PortalSession>('/portal', body, options),
    /** The links that work now, without their tokens. */
    list: (filters?: wire.PortalSessionFilters, options?: CallOptions) =>
      this.#list<wire.LivePortalSession>('/portal/sessions', 'sessions', filters, options),
    /** Ends a link at once. */
    revoke: (sessionId: string, options?: CallOptions) => this.#delete(`/portal/sessions/${at(sessionId)}`, options),
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
    /** The active ones, unless `activeOnly` is false. */
    listCodes: (filters?: wire.ReferralCodeFilters, options?: CallOptions) =>
      this.#list<wire.ReferralCode>('/referrals/codes', 'codes', filters, options),
    /** A code and a page of the referrals made with it, the newest first, a hundred unless told. */
    getCode: (code: string, page?: PageOptions, options?: CallOptions) =>
      this.#get<wire.ReferralCodeHistory>(`/referrals/codes/${at(code)}`, page, options),
    deactivateCode: (code: string, options?: CallOptions) => this.#delete(`/referrals/codes/${at(code)}`, options),
    /** Notes who brought a new customer; it converts by itself when that customer subscribes. */
    apply: async (body: wire.ReferralApply, options?: WriteOptions): Promise<wire.AppliedReferral> =>
      (await this.#post<{ referral: wire.AppliedReferral }>('/referrals/apply', body, options)).referral,
    listCredits: (filters?: wire.ReferralCreditFilters, options?: CallOptions) =>
      this.#list<wire.ReferralCredit>('/referrals/credits', 'credits', filters, options),
  };

  readonly analytics = {
    get: (window?: wire.AnalyticsWindow, options?: CallOptions) =>
      this.#get<wire.Analytics>('/analytics', window, options),
    /** Revenue, what moved it, and customers, day by day. */
    history: (window?: wire.AnalyticsHistoryWindow, options?: CallOptions) =>
      this.#get<wire.AnalyticsHistory>('/analytics/history', window, options),
  };

  readonly webhookEvents = {
    list: (filters?: wire.WebhookEventFilters, options?: CallOptions) =>
      this.#list<wire.WebhookEvent>('/webhook-events', 'webhookEvents', filters, options),
  };

  #get<Answer>(path: string, query: Request['query'], options: CallOptions | undefined): Promise<Answer> {
    return this.#send({ method: 'GET', path, query, options });
  }

  #post<Answer>(path: string, body: unknown, options: WriteOptions | undefined): Promise<Answer> {
    return this.#send({ method: 'POST', path, body, options });
  }

  #patch<Answer>(path: string, body: unknown, options: CallOptions | undefined): Promise<Answer> {
    return this.#send({ method: 'PATCH', path, body, options });
  }

  async #delete(path: string, options: CallOptions | undefined): Promise<void> {
    await this.#send({ method: 'DELETE', path, options, isDone: ({ status }) => status === 404 });
  }

  async #schedule(id: string, cancelAtPeriodEnd: boolean, options?: CallOptions): Promise<wire.Subscription> {
    const body = { cancelAtPeriodEnd };
    return (await this.#patch<{ subscription: wire.Subscription }>(`/subscriptions/${at(id)}`, body, options))
      .subscription;
  }

  #list<Item>(path: string, name: string, query: PageOptions = {}, options?: CallOptions): List<Item> {
    return new List(query, async (page): Promise<Page<Item>> => {
      const asked = { ...query, ...page };
      const answer = await this.#get<Listed & Record<string, readonly Item[]>>(path, asked, options);
      const { total, hasMore } = answer.pagination;
      return { items: answer[name] ?? [], total, hasMore };
    });
  }
}

interface Listed {
  readonly pagination: { readonly total: number; readonly hasMore: boolean };
}

/** An id as a part of a path; what an address would resolve away names nothing. */
function at(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`An id is needed, not "${id}".`);
  return encodeURIComponent(id);
}
