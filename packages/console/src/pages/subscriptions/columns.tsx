import type { Subscription } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { Badge } from '#ui/badge.tsx';
import { formatItems } from '#ui/amount.ts';
import { StatusBadge, SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { SubscriptionActions } from './subscription-actions.tsx';

export const customerColumn: Column<Subscription> = {
  title: 'Customer',
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
  csv: ({ customerId }) => customerId,
};

export const SUBSCRIPTION_COLUMNS: readonly Column<Subscription>[] = [
  {
    title: 'Status',
    cell: ({ status, cancelAtPeriodEnd, pauseCollection }) => (
      <span className="row">
        <StatusBadge of={SUBSCRIPTION_STATUS[status]} />
        {cancelAtPeriodEnd && status !== 'canceled' && <Badge tone="warn">Ends</Badge>}
        {pauseCollection && <Badge tone="warn">Payments paused</Badge>}
      </span>
    ),
    csv: ({ status }) => status,
  },
  {
    title: 'Price',
    wide: true,
    cell: ({ items }) => <span className="num">{formatItems(items)}</span>,
    csv: ({ items }) => formatItems(items),
  },
  { title: 'Started', wide: true, cell: ({ startedAt }) => <Time at={startedAt} />, csv: ({ startedAt }) => startedAt },
  {
    title: 'Next',
    wide: true,
    cell: ({ endedAt, cancelAt, trialEnd, status, currentPeriodEnd }) => (
      <>
        {endedAt ? 'Ended ' : cancelAt ? 'Ends ' : status === 'trialing' ? 'Trial to ' : 'Renews '}
        <Time at={endedAt ?? cancelAt ?? (status === 'trialing' ? trialEnd : currentPeriodEnd)} />
      </>
    ),
    csv: ({ endedAt, cancelAt, currentPeriodEnd }) => endedAt ?? cancelAt ?? currentPeriodEnd,
  },
  { title: 'Actions', end: true, cell: subscription => <SubscriptionActions subscription={subscription} /> },
];
