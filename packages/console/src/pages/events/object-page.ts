import type { BillingEvent, EventObjectType } from '@billing/client';
import type { Place } from '#layout/project-link.tsx';

const PLACES: Readonly<Partial<Record<EventObjectType, (id: string) => Place>>> = {
  customer: id => ({ page: `customers/${id}` }),
  customer_state: id => ({ page: `customers/${id}` }),
  product: id => ({ page: `products/${id}` }),
  subscription: id => ({ page: `subscriptions/${id}` }),
  invoice: id => ({ page: 'invoices', search: { id } }),
  referral_code: id => ({ page: `referrals/${id}` }),
  webhook_endpoint: id => ({ page: `webhook-endpoints/${id}` }),
};

/** Returns the page that shows the object of an event; undefined where it has none of its own. */
export const objectPage = ({ type, id }: BillingEvent['object']): Place | undefined => PLACES[type]?.(id);
