import type { BillingError } from './billing-error.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import type { List, Page } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** How long a request waits for the next event, in milliseconds. */
const WAIT_MS = 20_000;

/** A customer: by id, or by your own id of it, unless that contains one of `/`, `\`, `;`, `%`, `#` and `?`, which no path takes. */
export type CustomerRef = string | { readonly externalId: string };

/** Which part of a state to read, and a checkout to wait for. */
export interface StateQuery {
  /** Only entitlements to these features. */
  readonly features?: readonly string[] | undefined;
  /** A checkout of the customer (`cs_…`), whose outcome the state then includes. */
  readonly checkoutSession?: string | undefined;
  /** How long to wait until that checkout is complete, in milliseconds: up to 10,000, 0 by default. */
  readonly waitMs?: number | undefined;
}

/** A page of failed payments, with what is recovering, was recovered and is lost of all that the filters leave. */
export interface DunningPage extends Page<wire.DunningCase> {
  readonly totals: wire.DunningTotals;
}

/** Returns the path of a customer's state. */
export const statePath = (customer: CustomerRef): string =>
  typeof customer === 'string'
    ? `/customers/${segment(customer)}/state`
    : `/customers/external/${segment(customer.externalId)}/state`;

/** The methods of `billing.states`, each of which sends a request; `billing.entitlements` keeps what it read. */
export const stateMethods = (requests: Requests) => ({
  /** Returns what a customer may use now, and how far it is paid. */
  get: async (customer: CustomerRef, query: StateQuery = {}, options?: CallOptions): Promise<wire.CustomerState> => {
    const { waitMs } = query;
    const request = { method: 'GET', path: statePath(customer), query, waitMs, options } as const;
    return (await requests.send<{ state: wire.CustomerState }>(request)).state;
  },
  /** Returns whether a customer may use one feature now. */
  check: async (customer: CustomerRef, key: string, options?: CallOptions): Promise<wire.FeatureCheck> =>
    requests.send({ method: 'GET', path: `${statePath(customer)}/${segment(key)}`, options }),
});

/** A page that is open for a customer. */
export type HostedCheckout = wire.CheckoutSession & { readonly sessionId: string; readonly url: string };
/** A session that a page of yours shows. */
export type EmbeddedCheckout = wire.CheckoutSession & { readonly sessionId: string; readonly clientSecret: string };
/** What was sold without a page. */
export type SoldAtOnce = wire.CheckoutSession & { readonly subscription: wire.Subscription };

/** The methods of `billing.checkout`. What comes of a sale depends on how it is collected. */
export function checkoutMethods(requests: Requests) {
  /** Create a hosted page on which a customer pays: redirect to its `url`. */
  function create(
    body: wire.CheckoutCreate & {
      readonly collect?: 'page' | null | undefined;
      readonly page?: 'hosted' | null | undefined;
    },
    options?: WriteOptions,
  ): Promise<HostedCheckout>;
  /** Create a page that your own page shows, with Stripe.js, the `publishableKey` and the `clientSecret`. */
  function create(
    body: wire.CheckoutCreate & { readonly collect?: 'page' | null | undefined; readonly page: 'embedded' },
    options?: WriteOptions,
  ): Promise<EmbeddedCheckout>;
  /** Create a subscription at once: charge the saved payment method, have an invoice mailed, or collect nothing. */
  function create(
    body: wire.CheckoutCreate & { readonly collect: 'saved' | 'invoice' | 'nothing' },
    options?: WriteOptions,
  ): Promise<SoldAtOnce>;
  function create(body: wire.CheckoutCreate, options?: WriteOptions): Promise<wire.CheckoutSession> {
    return requests.send<wire.CheckoutSession>({ method: 'POST', path: '/checkout', body, options });
  }
  return { create };
}

/** A subscription that was ended now, and what became of its invoices that were to be voided. */
export interface EndedSubscription extends wire.CanceledSubscription {
  readonly invoices: readonly wire.EndedInvoice[];
}

/** What `billing.subscriptions` has beside the calls of single operations. */
export function subscriptionMethods(requests: Requests) {
  interface OfSubscription<Subscription = wire.Subscription> {
    readonly subscription: Subscription;
  }
  const pathOf = (id: string): string => `/subscriptions/${segment(id)}`;
  const update = async (id: string, body: object, options?: CallOptions): Promise<wire.Subscription> =>
    (await requests.send<OfSubscription>({ method: 'PATCH', path: pathOf(id), body, options })).subscription;
  return {
    /** Takes back the change that is pending, else the one that is scheduled. */
    dropChange: async (id: string, options?: CallOptions): Promise<wire.Subscription> => {
      const isDone = ({ code }: BillingError) => code === 'change_not_found';
      const dropped = { method: 'DELETE', path: `${pathOf(id)}/change`, options, isDone } as const;
      const body = await requests.send<OfSubscription | undefined>(dropped);
      const { subscription } =
        body ?? (await requests.send<OfSubscription>({ method: 'GET', path: pathOf(id), options }));
      return subscription;
    },
    /** Schedules the end of a subscription for the end of its paid period, for the customer's reason if you know it. */
    cancelAtPeriodEnd: (id: string, said: wire.CancellationSaid = {}, options?: CallOptions) =>
      update(id, { cancelAtPeriodEnd: true, ...said }, options),
    /** Sets when the trial of a subscription ends; null ends it now, and charges, if that is what you expect. */
    setTrialEnd: (id: string, trialEnd: string | null, expectedAmountDue?: number, options?: CallOptions) =>
      update(id, { trialEnd, expectedAmountDue }, options),
    /** Takes a scheduled cancellation back. */
    resume: (id: string, options?: CallOptions) => update(id, { cancelAtPeriodEnd: false }, options),
    /**
     * Ends a subscription now, for the customer's reason if you know it. This cannot be undone. Returns the invoices that
     * `openInvoices: 'void'` was for; none when only a retry got a response.
     */
    cancelNow: async (id: string, how?: wire.SubscriptionCancel, options?: CallOptions): Promise<EndedSubscription> => {
      const isDone = ({ code }: BillingError) => code === 'subscription_not_found';
      const request = { method: 'DELETE', path: pathOf(id), body: how, options, isDone } as const;
      type Ended = OfSubscription<wire.CanceledSubscription> & Pick<EndedSubscription, 'invoices'>;
      const body = await requests.send<Ended | undefined>(request);
      if (body) return { ...body.subscription, invoices: body.invoices };
      // The attempt before has ended it, so the id is that of an existing subscription.
      return { id: id as wire.Subscription['id'], status: 'canceled', cancelAtPeriodEnd: false, invoices: [] };
    },
  };
}

/** The methods of `billing.dunning`. */
export function dunningMethods(requests: Requests) {
  const list = (filters?: wire.DunningFilters, options?: CallOptions): List<wire.DunningCase, DunningPage> =>
    requests.list('/dunning', 'cases', filters, options);
  return {
    /** Lists invoices of subscriptions whose payment failed, the newest failure first; each page has the totals of all. */
    list,
    /** Returns what is recovering, was recovered and is lost, in each currency. */
    totals: async (filters?: wire.DunningFilters, options?: CallOptions): Promise<wire.DunningTotals> =>
      (await list({ ...filters, limit: 1 }, options).page()).totals,
  };
}

/** What `billing.analytics` has beside the calls of single operations. */
export const analyticsMethods = (requests: Requests) => ({
  /** Returns the status and the revenue of up to 100 customers, without ids of no customer. */
  customers: async (ids: readonly string[], options?: CallOptions): Promise<wire.AnalyticsCustomer[]> => {
    const request = { method: 'GET', path: '/analytics/customers', query: { ids }, options } as const;
    return (await requests.send<{ customers: wire.AnalyticsCustomer[] }>(request)).customers;
  },
});

/** What `billing.events` has beside the calls of single operations. */
export const eventMethods = (requests: Requests) => ({
  /**
   * Lists events as they happen, the oldest first: from a page's `nextCursor`, or else from the first. It has no end but that
   * of the `signal`; after a failure a new one goes on from the last cursor. Each is seen once.
   */
  follow: (filters?: Omit<wire.EventFilters, 'order'>, options?: CallOptions) =>
    requests.listByCursor<wire.BillingEvent>('/events', 'events', { ...filters, waitMs: WAIT_MS }, options),
});

/** What `processor` of a team has beside the calls of single operations. */
export const processorMethods = (requests: Requests) => ({
  /** Disconnects the account; its records stay. */
  disconnect: (options?: CallOptions) => requests.delete('/processor', options),
  /** Disconnects, and deletes what mirrors the account in all projects; `teamName` confirms it. */
  purge: async (teamName: string, options?: CallOptions): Promise<void> => {
    const body = { confirm: teamName };
    await requests.send({ method: 'DELETE', path: '/processor', query: { purge: true }, body, options });
  },
});
