import type { BillingError } from './billing-error.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { segment, type Requests } from './requests.ts';
import type { Request } from './transport.ts';
import type * as wire from './wire.ts';

interface OfSubscription {
  readonly subscription: wire.Subscription;
}

/** The methods of `billing.subscriptions`. */
export function subscriptionMethods(requests: Requests) {
  const get = async (id: string, options?: CallOptions): Promise<wire.Subscription> =>
    (await requests.get<OfSubscription>(pathOf(id), undefined, options)).subscription;
  const update = async (id: string, body: object, options?: CallOptions) =>
    (await requests.patch<OfSubscription>(pathOf(id), body, options)).subscription;
  return {
    /** Lists active and trialing subscriptions; all with `activeOnly: false`, those of one `status` with it. */
    list: (filters?: wire.SubscriptionFilters, options?: CallOptions) =>
      requests.list<wire.Subscription>('/subscriptions', 'subscriptions', filters, options),
    get,
    /** Returns what a change costs, in the processor's own figures: `amountDue` today. It changes nothing. */
    previewChange: async (id: string, body: wire.PlanChange, options?: WriteOptions): Promise<wire.PlanChangePreview> =>
      (await requests.post<{ preview: wire.PlanChangePreview }>(`${pathOf(id)}/change/preview`, body, options)).preview,
    /**
     * Changes the plan or the quantity. With a preview's `prorationDate` and `expectedAmountDue` it costs what the customer
     * has seen, or is refused with `amount_changed` or `preview_expired`. `change.status` says whether it applies already:
     * `pending_payment` waits until the customer has paid at `subscription.pendingChange.hostedInvoiceUrl`.
     */
    change: (id: string, body: wire.PlanChange, options?: WriteOptions) =>
      requests.post<wire.PlanChangeResult>(`${pathOf(id)}/change`, body, options),
    /** Takes back the change that is pending, else the one that is scheduled. */
    dropChange: async (id: string, options?: CallOptions): Promise<wire.Subscription> => {
      const isDone = ({ code }: BillingError) => code === 'change_not_found';
      const request: Request = { method: 'DELETE', path: `${pathOf(id)}/change`, options, isDone };
      const body = await requests.send<OfSubscription | undefined>(request);
      return body?.subscription ?? get(id, options);
    },
    /** Sets the promotion code, for future invoices; null removes all discounts. */
    setDiscount: async (id: string, body: wire.DiscountSet, options?: CallOptions): Promise<wire.Subscription> =>
      (await requests.put<OfSubscription>(`${pathOf(id)}/discount`, body, options)).subscription,
    /** Schedules the end of a subscription for the end of its paid period, for the customer's reason if you know it. */
    cancelAtPeriodEnd: (id: string, said: wire.SubscriptionCancel = {}, options?: CallOptions) =>
      update(id, { cancelAtPeriodEnd: true, ...said }, options),
    /** Takes a scheduled cancellation back. */
    resume: (id: string, options?: CallOptions) => update(id, { cancelAtPeriodEnd: false }, options),
    /** Ends a subscription now, for the customer's reason if you know it. This cannot be undone. */
    cancelNow: async (
      id: string,
      said?: wire.SubscriptionCancel,
      options?: CallOptions,
    ): Promise<wire.CanceledSubscription> => {
      const isDone = ({ code }: BillingError) => code === 'subscription_ended';
      const request: Request = { method: 'DELETE', path: pathOf(id), body: said, options, isDone };
      const body = await requests.send<{ subscription: wire.CanceledSubscription } | undefined>(request);
      // Without a body it had ended already, so the id is that of an existing subscription.
      return body?.subscription ?? { id: id as wire.Subscription['id'], status: 'canceled', cancelAtPeriodEnd: false };
    },
  };
}

const pathOf = (id: string): string => `/subscriptions/${segment(id)}`;
