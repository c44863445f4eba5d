import type { Subscription } from '@billing/client';
import { Badge } from '#ui/badge.tsx';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';

/** A subscription's status, and what its status does not say: that it is set to end or to change, or that payments are paused. */
export function SubscriptionStatus({ subscription }: { readonly subscription: Subscription }) {
  const { status, cancelAtPeriodEnd, pauseCollection, pendingChange, scheduledChange } = subscription;
  return (
    <span className="row">
      <StatusBadge of={SUBSCRIPTION_STATUS[status]} />
      {cancelAtPeriodEnd && status !== 'canceled' && <Badge tone="warn">Ends</Badge>}
      {pendingChange && <Badge tone="warn">Change unpaid</Badge>}
      {scheduledChange && <Badge tone="accent">Changes</Badge>}
      {pauseCollection && <Badge tone="warn">Payments paused</Badge>}
    </span>
  );
}
