import type { Subscription } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { formatItems } from '#ui/amount.ts';
import { Time } from '#ui/time.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { SubscriptionLink } from '../products/product-name.tsx';
import { nextStep } from './next-step.ts';
import { SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionStatus } from './subscription-status.tsx';

export const customerColumn: Column<Subscription> = {
  title: 'Customer',
  cell: ({ customerId }) => <CustomerLink id={customerId} />,
};

export const SUBSCRIPTION_COLUMNS: readonly Column<Subscription>[] = [
  {
    title: 'Product',
    cell: subscription => <SubscriptionLink subscription={subscription} />,
  },
  {
    title: 'Status',
    cell: subscription => <SubscriptionStatus subscription={subscription} />,
  },
  {
    title: 'Price',
    cell: ({ items }) => <span className="num">{formatItems(items)}</span>,
  },
  {
    title: 'Next',
    cell: subscription => {
      const { words, at } = nextStep(subscription);
      return (
        <>
          {words} {at && <Time at={at} />}
        </>
      );
    },
  },
  { title: 'Actions', end: true, cell: subscription => <SubscriptionActions subscription={subscription} /> },
];
