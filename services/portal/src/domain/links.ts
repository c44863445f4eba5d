import type { SubscriptionId } from '@billing/contracts/ids';

/** The page's three tabs, in their order. */
export const TABS = ['subscriptions', 'invoices', 'payment-methods'] as const;
export type Tab = (typeof TABS)[number];

/** What a customer is told after coming back from an action, or from the processor's page. */
export const NOTICES = ['cancel-scheduled', 'resumed', 'already-ended', 'payment-method-saved'] as const;
export type Notice = (typeof NOTICES)[number];

interface Place {
  readonly notice?: Notice;
  /** Page of invoices, from 1. */
  readonly page?: number;
}

/** Every address that holds a token, made in this one place. `publicUrl` may have a path of its own. */
export function portalLinks(publicUrl: string, token: string) {
  const base = new URL(publicUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const page = `${prefix}/portal/${token}`;
  const tab = (it: Tab, { notice, page: number }: Place = {}) => {
    const query = new URLSearchParams({ tab: it, ...(number && { page: String(number) }), ...(notice && { notice }) });
    return `${page}?${query.toString()}`;
  };
  const subscription = (id: SubscriptionId) => `${page}/subscriptions/${encodeURIComponent(id)}`;
  const absolute = (path: string) => `${base.origin}${path}`;
  return {
    page,
    tab,
    absolute,
    cancel: (id: SubscriptionId) => `${subscription(id)}/cancel`,
    resume: (id: SubscriptionId) => `${subscription(id)}/resume`,
    paymentMethod: `${page}/payment-method`,
    api: `${prefix}/api/portal/${token}`,
  };
}
export type PortalLinks = ReturnType<typeof portalLinks>;
