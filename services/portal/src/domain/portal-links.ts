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
  'payment-method-saved',
] as const;
export type Notice = (typeof NOTICES)[number];

interface TabOptions {
  readonly notice?: Notice | undefined;
  /** Page of invoices, from 1. */
  readonly page?: number;
}

/**
 * Returns every address that contains the token; they are built only here.
 * All are paths on the public host, except what `absolute` returns.
 */
export function portalLinks(publicUrl: string, token: string) {
  const page = `/portal/${token}`;
  const subscription = (id: SubscriptionId) => `${page}/subscriptions/${encodeURIComponent(id)}`;
  return {
    page,
    tab(tab: Tab, { notice, page: number }: TabOptions = {}) {
      const query = new URLSearchParams({ tab, ...(number && { page: String(number) }), ...(notice && { notice }) });
      return `${page}?${query.toString()}`;
    },
    absolute: (path: string) => `${publicUrl}${path}`,
    cancel: (id: SubscriptionId) => `${subscription(id)}/cancel`,
    resume: (id: SubscriptionId) => `${subscription(id)}/resume`,
    paymentMethod: `${page}/payment-method`,
    api: `/api/portal/${token}`,
  };
}
export type PortalLinks = ReturnType<typeof portalLinks>;
