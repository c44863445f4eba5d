import type { Subscription } from '@billing/client';
import { formatItems } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Details } from '#ui/details.tsx';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import { ProductNames } from '../products/product-name.tsx';
import { hasTaxStopped } from './tax-card.tsx';

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

/** A subscription's status, and what its status does not say: that it is set to end or to change, or that payments are paused or tax has stopped. */
export function SubscriptionStatus({ subscription }: { readonly subscription: Subscription }) {
  const { status, cancelAtPeriodEnd, paused, pendingChange, scheduledChange } = subscription;
  return (
    <span className="row">
      <StatusBadge of={SUBSCRIPTION_STATUS[status]} />
      {cancelAtPeriodEnd && status !== 'canceled' && <Badge tone="warn">Ends</Badge>}
      {pendingChange && <Badge tone="warn">Change unpaid</Badge>}
      {scheduledChange && <Badge tone="accent">Changes</Badge>}
      {paused && <Badge tone="warn">Payments paused</Badge>}
      {hasTaxStopped(subscription) && <Badge tone="warn">Tax stopped</Badge>}
    </span>
  );
}
