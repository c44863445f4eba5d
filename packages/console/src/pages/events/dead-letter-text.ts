import type { DeadLetter } from '@billing/client';
import { sentence } from '#ui/sentence.ts';

/** What each service keeps, as people know it. */
const KEPT: Readonly<Record<DeadLetter['service'], string>> = {
  analytics: 'Metrics',
  catalog: 'Products and prices',
  customers: 'Customers',
  gateway: 'Audit log',
  portal: 'Customer portal',
  referrals: 'Referrals',
  subscriptions: 'Subscriptions and payments',
  webhooks: 'Webhook events',
};

/** Returns what is out of date while an event is not handled: `Subscriptions and payments`. */
export const outdatedBy = ({ service }: Pick<DeadLetter, 'service'>): string => KEPT[service];

/** Returns what happened: `Invoice paid` of `processor.invoice.paid.v1`. */
export const happeningOf = ({ type }: Pick<DeadLetter, 'type'>): string =>
  sentence(
    type
      .replace(/^(processor|record)\./, '')
      .replace(/\.v\d+$/, '')
      .replaceAll(/[.-]/g, ' '),
  );
