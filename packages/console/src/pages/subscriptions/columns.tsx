import type { Subscription } from '@billing/client';
import type { Column } from '#layout/list-table.tsx';
import { formatItems } from '#ui/amount.ts';
import { Time } from '#ui/time.tsx';
import { SubscriptionLink } from '../products/product-name.tsx';
import { nextStep } from './next-step.ts';
import { SubscriptionActions } from './subscription-actions.tsx';
import { SubscriptionStatus } from './subscription-summary.tsx';

export const SUBSCRIPTION_COLUMNS: readonly Column<Subscription>[] = [
  {
    title: 'Product',
    cell: subscription => <SubscriptionLink subscription={subscription} />,
  },
  {
    title: 'Status',
    width: 172,
    cell: subscription => <SubscriptionStatus subscription={subscription} />,
  },
  {
    title: 'Price',
    least: 126,
    isAmount: true,
    cell: ({ items }) => <span className="num">{formatItems(items)}</span>,
  },
  {
    title: 'Next',
    width: 178,
    cell: subscription => {
      const { words, at } = nextStep(subscription);
      return (
        <>
          {words} {at && <Time at={at} />}
        </>
      );
    },
  },
  {
    title: 'Actions',
    width: 126,
    end: true,
    cell: subscription => <SubscriptionActions subscription={subscription} />,
  },
];
