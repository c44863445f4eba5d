import type { SubscriptionId } from '@billing/contracts/ids';

/** The tabs of the page, in their order. */
export const TABS = ['subscriptions', 'invoices', 'payment-methods'] as const;
export type Tab = (typeof TABS)[number];

/** Messages that the page shows once after an action, named by the query parameter `notice`. */
export const NOTICES = [
  'cancel-scheduled',
  'resumed',
  'already-ended',
  'has-schedule',
  'offer-accepted',
  'offer-gone',
  'updated',
  'update-scheduled',
  'update-dropped',
  'paused',
  'not-possible',
  'payment-method-saved',
  'details-saved',
] as const;
export type Notice = (typeof NOTICES)[number];

interface TabOptions {
  readonly notice?: Notice | undefined;
  /** Page of invoices, from 1. */
  readonly page?: number;
}

/**
 * Returns every address that contains the token; they are built only here.
 * All are paths on the public host, except what `absolute` returns. A language that the reader chose stays in all of them.
 */
export function portalLinks(publicUrl: string, token: string, lang?: string) {
  const page = `/portal/${token}`;
  const to = (path: string, given: Readonly<Record<string, string>> = {}) => {
    const query = new URLSearchParams({ ...given, ...(lang && { lang }) }).toString();
    return query ? `${path}?${query}` : path;
  };
  const subscription = (id: SubscriptionId) => `${page}/subscriptions/${encodeURIComponent(id)}`;
  return {
    page,
    tab: (tab: Tab, { notice, page: number }: TabOptions = {}) =>
      to(page, { tab, ...(number && { page: String(number) }), ...(notice && { notice }) }),
    absolute: (path: string) => `${publicUrl}${path}`,
    cancel: (id: SubscriptionId) => to(`${subscription(id)}/cancel`),
    saveOffer: (id: SubscriptionId) => to(`${subscription(id)}/save-offer`),
    resume: (id: SubscriptionId) => to(`${subscription(id)}/resume`),
    change: (id: SubscriptionId) => to(`${subscription(id)}/change`),
    /** Where the fields of a GET form go, the language among them. */
    previewChange: (id: SubscriptionId) => `${subscription(id)}/change/preview`,
    dropChange: (id: SubscriptionId) => to(`${subscription(id)}/change/drop`),
    pause: (id: SubscriptionId) => to(`${subscription(id)}/pause`),
    endPause: (id: SubscriptionId) => to(`${subscription(id)}/pause/end`),
    billingDetails: (notice?: Notice) => to(`${page}/billing-details`, notice && { notice }),
    lang,
    /** `key` names one replacement of the payment method. */
    paymentMethod: (key: string) => to(`${page}/payment-method`, { key }),
    api: `/api/portal/${token}`,
  };
}
export type PortalLinks = ReturnType<typeof portalLinks>;
