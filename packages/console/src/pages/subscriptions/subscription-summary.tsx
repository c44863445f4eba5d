import type { Subscription } from '@billing/client';
import { formatItems } from '#ui/amount.ts';
import { Details } from '#ui/details.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import { ProductNames } from '../products/product-name.tsx';

/** Whose subscription it is, to what, and what it costs. */
export const SubscriptionSummary = ({ subscription }: { readonly subscription: Subscription }) => (
  <Details
    narrow
    of={{
      Customer: <CustomerName id={subscription.customerId} />,
      Plan: <ProductNames items={subscription.items} />,
      Price: formatItems(subscription.items),
    }}
  />
);
