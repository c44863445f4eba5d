import type { CallOptions, ClientOptions, WriteOptions } from './options.ts';
import { dunningMethods, invoiceMethods } from './invoice-methods.ts';
import { referralMethods } from './referral-methods.ts';
import { createRequests, segment, type Requests } from './requests.ts';
import { subscriptionMethods } from './subscription-methods.ts';
import { priceMigrationMethods, syncMethods } from './sync-methods.ts';
import { couponMethods, promotionCodeMethods } from './discount-methods.ts';
import { openEntitlements, type EntitlementOptions, type Entitlements } from './entitlements.ts';
import {
  featureMethods,
  grantMethods,
  productFeatureMethods,
  stateMethods,
  type CustomerRef,
} from './feature-methods.ts';
import { eventMethods, webhookDeliveryMethods, webhookEndpointMethods } from './outgoing-methods.ts';
import { openTransport } from './transport.ts';
import type * as wire from './wire.ts';

/**
 * A client of one project's billing API, for backends with an API key and for browsers that are signed in. Every method rejects with a `BillingError` when the call fails.
 *
 * @example
 * const billing = new BillingClient({ baseUrl, apiKey, teamId, projectId });
 * const customer = await billing.customers.create({ email: 'ada@example.com' });
 * const { url } = await billing.checkout.create({ customerId: customer.id, priceId, successUrl, cancelUrl });
 */
export class BillingClient {
  readonly #requests: Requests;
  readonly #entitlements: ReturnType<typeof openEntitlements>;
  /** What products give, and your product checks. */
  readonly features: ReturnType<typeof featureMethods>;
  /** What products give of features. */
  readonly productFeatures: ReturnType<typeof productFeatureMethods>;
  /** What prices give of features, instead of their products. */
  readonly priceFeatures: ReturnType<typeof productFeatureMethods>;
  /** Features that single customers were given, whatever they have bought. */
  readonly grants: ReturnType<typeof grantMethods>;
  /** What customers may use, read anew each time; `entitlements` is for every request of yours. */
  readonly states: ReturnType<typeof stateMethods>;
  readonly subscriptions: ReturnType<typeof subscriptionMethods>;
  readonly invoices: ReturnType<typeof invoiceMethods>;
  /** Payments of subscriptions that failed, and what became of them. */
  readonly dunning: ReturnType<typeof dunningMethods>;
  /** What can be taken off a price. */
  readonly coupons: ReturnType<typeof couponMethods>;
  /** With which customers redeem coupons. */
  readonly promotionCodes: ReturnType<typeof promotionCodeMethods>;
  readonly referrals: ReturnType<typeof referralMethods>;
  /** Every change in the project, in order. */
  readonly events: ReturnType<typeof eventMethods>;
  /** Addresses of yours that events are posted to. */
  readonly webhookEndpoints: ReturnType<typeof webhookEndpointMethods>;
  readonly webhookDeliveries: ReturnType<typeof webhookDeliveryMethods>;
  /** The processor's account and the project's records, compared and made equal. */
  readonly syncs: ReturnType<typeof syncMethods>;
  /** Moves of all subscriptions of a price to another one. */
  readonly priceMigrations: ReturnType<typeof priceMigrationMethods>;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(options: ClientOptions) {
    const { teamId, projectId } = options;
    this.#requests = createRequests(
      openTransport(options, `/api/service/teams/${segment(teamId)}/projects/${segment(projectId)}`),
    );
    this.#entitlements = openEntitlements({ requests: this.#requests, timeoutMs: options.timeoutMs });
    this.features = featureMethods(this.#requests);
    this.productFeatures = productFeatureMethods(this.#requests, 'products');
    this.priceFeatures = productFeatureMethods(this.#requests, 'prices');
    this.grants = grantMethods(this.#requests);
    this.states = stateMethods(this.#requests);
    this.subscriptions = subscriptionMethods(this.#requests);
    this.invoices = invoiceMethods(this.#requests);
    this.dunning = dunningMethods(this.#requests);
    this.coupons = couponMethods(this.#requests);
    this.promotionCodes = promotionCodeMethods(this.#requests);
    this.referrals = referralMethods(this.#requests);
    this.events = eventMethods(this.#requests);
    this.webhookEndpoints = webhookEndpointMethods(this.#requests);
    this.webhookDeliveries = webhookDeliveryMethods(this.#requests);
    this.syncs = syncMethods(this.#requests);
    this.priceMigrations = priceMigrationMethods(this.#requests);
  }

  readonly products = {
    /** Creates a product here and at the processor. */
    create: async (body: wire.ProductCreate, options?: WriteOptions): Promise<wire.Product> =>
      (await this.#requests.post<{ product: wire.Product }>('/products', body, options)).product,
    /** Lists active products; all with `activeOnly: false`. */
    list: (filters?: wire.ProductFilters, options?: CallOptions) =>
      this.#requests.list<wire.Product>('/products', 'products', filters, options),
    get: (id: string, options?: CallOptions) =>
      this.#requests.get<wire.Product>(`/products/${segment(id)}`, undefined, options),
    update: async (id: string, body: wire.ProductUpdate, options?: CallOptions): Promise<wire.Product> =>
      (await this.#requests.patch<{ product: wire.Product }>(`/products/${segment(id)}`, body, options)).product,
    /** Archives the product at the processor and deletes it here. */
    delete: (id: string, options?: CallOptions) => this.#requests.delete(`/products/${segment(id)}`, options),
  };

  readonly prices = {
    /** Creates a price. Its amount, currency and interval can't be changed; create another price instead. */
    create: async (body: wire.PriceCreate, options?: WriteOptions): Promise<wire.Price> =>
      (await this.#requests.post<{ price: wire.Price }>('/prices', body, options)).price,
    /** Lists active prices; all with `activeOnly: false`. */
    list: (filters?: wire.PriceFilters, options?: CallOptions) =>
      this.#requests.list<wire.Price>('/prices', 'prices', filters, options),
    get: (id: string, options?: CallOptions) =>
      this.#requests.get<wire.Price>(`/prices/${segment(id)}`, undefined, options),
    update: async (id: string, body: wire.PriceUpdate, options?: CallOptions): Promise<wire.Price> =>
      (await this.#requests.patch<{ price: wire.Price }>(`/prices/${segment(id)}`, body, options)).price,
    /** Deactivates the price at the processor and deletes it here. Subscriptions that use it continue. */
    delete: (id: string, options?: CallOptions) => this.#requests.delete(`/prices/${segment(id)}`, options),
  };

  readonly customers = {
    /** Creates a customer here, and links it to the processor's customer with this e-mail or creates one there. */
    create: async (body: wire.CustomerCreate, options?: WriteOptions): Promise<wire.Customer> =>
      (await this.#requests.post<{ customer: wire.Customer }>('/customers', body, options)).customer,
    /** Lists customers; with `email` or `externalId`, the one that has it. */
    list: (filters?: wire.CustomerFilters, options?: CallOptions) =>
      this.#requests.list<wire.Customer>('/customers', 'customers', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Customer> =>
      (await this.#requests.get<{ customer: wire.Customer }>(`/customers/${segment(id)}`, undefined, options)).customer,
    /** Updates a customer. `metadata` replaces the previous metadata; null clears `name` and `externalId`. */
    update: async (id: string, body: wire.CustomerUpdate, options?: CallOptions): Promise<wire.Customer> =>
      (await this.#requests.patch<{ customer: wire.Customer }>(`/customers/${segment(id)}`, body, options)).customer,
    /** Deletes the customer here, but not at the processor. */
    delete: (id: string, options?: CallOptions) => this.#requests.delete(`/customers/${segment(id)}`, options),
  };

  readonly checkout = {
    /** Opens a page of the processor on which the customer pays. Send the customer to its `url`. */
    create: (body: wire.CheckoutCreate, options?: WriteOptions) =>
      this.#requests.post<wire.CheckoutSession>('/checkout', body, options),
  };

  readonly payments = {
    list: (filters?: wire.PaymentFilters, options?: CallOptions) =>
      this.#requests.list<wire.Payment>('/payments', 'payments', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Payment> =>
      (await this.#requests.get<{ payment: wire.Payment }>(`/payments/${segment(id)}`, undefined, options)).payment,
    /** Refunds all that is left of a payment, or an `amount` of it. This cannot be undone. */
    refund: async (id: string, body: wire.PaymentRefund = {}, options?: WriteOptions): Promise<wire.Payment> =>
      (await this.#requests.post<{ payment: wire.Payment }>(`/payments/${segment(id)}/refund`, body, options)).payment,
    /** Returns what was collected in the window and what is past due now, in each currency. */
    totals: (window?: wire.PaymentTotalsWindow, options?: CallOptions) =>
      this.#requests.get<wire.PaymentTotals>('/payments/totals', window, options),
  };

  readonly portal = {
    /** Creates a link with which one customer sees and changes their billing for `ttlMs` milliseconds. */
    create: (body: wire.PortalSessionCreate, options?: WriteOptions) =>
      this.#requests.post<wire.PortalSession>('/portal', body, options),
    /** Lists the links that work now, without their tokens. */
    list: (filters?: wire.PortalSessionFilters, options?: CallOptions) =>
      this.#requests.list<wire.LivePortalSession>('/portal/sessions', 'sessions', filters, options),
    /** Revokes a link at once. */
    revoke: (sessionId: string, options?: CallOptions) =>
      this.#requests.delete(`/portal/sessions/${segment(sessionId)}`, options),
  };

  /** What the portal lets customers do, and how it looks. */
  readonly portalConfig = {
    get: async (options?: CallOptions): Promise<wire.PortalConfig> =>
      (await this.#requests.get<{ portalConfig: wire.PortalConfig }>('/portal-config', undefined, options))
        .portalConfig,
    /** Returns the path of a page that shows a configuration, without saving it; it can be opened for ten minutes. */
    preview: (body: wire.PortalConfigPreview, options?: CallOptions) =>
      this.#requests.post<wire.PortalPreview>('/portal-config/preview', body, options),
    /** Replaces all settings; what is left out is off. */
    set: async (body: wire.PortalConfigSet, options?: CallOptions): Promise<wire.PortalConfig> =>
      (await this.#requests.put<{ portalConfig: wire.PortalConfig }>('/portal-config', body, options)).portalConfig,
  };

  readonly analytics = {
    get: (window?: wire.AnalyticsWindow, options?: CallOptions) =>
      this.#requests.get<wire.Analytics>('/analytics', window, options),
    /** Returns revenue, its movements, and customers for each day. */
    history: (window?: wire.AnalyticsHistoryWindow, options?: CallOptions) =>
      this.#requests.get<wire.AnalyticsHistory>('/analytics/history', window, options),
    /** Lists the subscriptions behind `mrr`, those that churned, or those that `mrr` leaves out. */
    subscriptions: (filters: wire.AnalyticsSubscriptionFilters, options?: CallOptions) =>
      this.#requests.list<wire.AnalyticsSubscription>('/analytics/subscriptions', 'subscriptions', filters, options),
    /** Counts the cancellations of the window by their reason, the most frequent first. */
    cancellations: async (window?: wire.AnalyticsWindow, options?: CallOptions): Promise<wire.CancellationCount[]> =>
      (
        await this.#requests.get<{ cancellations: wire.CancellationCount[] }>(
          '/analytics/cancellations',
          window,
          options,
        )
      ).cancellations,
    /** Returns the status and the revenue of up to 100 customers, without ids of no customer. */
    customers: async (ids: readonly string[], options?: CallOptions): Promise<wire.AnalyticsCustomer[]> => {
      const query = { ids: ids.join(',') };
      return (await this.#requests.get<{ customers: wire.AnalyticsCustomer[] }>('/analytics/customers', query, options))
        .customers;
    },
  };

  /** What the processor has sent. */
  readonly webhookEvents = {
    list: (filters?: wire.WebhookEventFilters, options?: CallOptions) =>
      this.#requests.list<wire.WebhookEvent>('/webhook-events', 'webhookEvents', filters, options),
  };

  /**
   * Returns what a customer may use: `(await billing.entitlements(customerId)).allows('sso')`. Keeps it for 30 seconds, then
   * confirms it by its tag; through an outage it counts until an entitlement's end, at most for 24 hours. After a checkout,
   * give its `checkoutSession`: then the state is read at once, and includes the outcome.
   * @throws BillingError for what the service refuses, such as `customer_not_found`; when it can't be reached, only with a
   *   `checkoutSession`
   */
  entitlements(customer: CustomerRef, options?: EntitlementOptions): Promise<Entitlements> {
    return this.#entitlements(customer, options);
  }
}
