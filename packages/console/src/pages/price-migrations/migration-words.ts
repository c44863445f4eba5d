import type { PriceMigration, PriceMigrationFinding } from '@billing/client';
import { formatCount } from '#ui/amount.ts';
import type { StatusText } from '#ui/statuses.tsx';

type SkipReason = NonNullable<PriceMigrationFinding['reason']>;

/** What a migration does to a subscription. */
export const MIGRATION_OUTCOME: Readonly<Record<PriceMigrationFinding['outcome'], StatusText>> = {
  to_change: { name: 'To change', tone: 'accent' },
  scheduled: { name: 'Scheduled', tone: 'good' },
  skipped: { name: 'Skipped', tone: 'neutral' },
  failed: { name: 'Failed', tone: 'bad' },
};

const SKIPPED: Readonly<Record<SkipReason, string>> = {
  left_price: 'It has left the price meanwhile.',
  several_items: 'It has several items.',
  other_currency: 'It is in another currency than the new price.',
  has_schedule: 'It has a schedule that was made at Stripe.',
  has_scheduled_change: 'Another change is scheduled for it.',
  has_pending_change: 'Another change waits for its payment.',
  set_to_cancel: 'It is set to cancel.',
  incomplete: 'Its first payment is not made yet.',
  past_due: 'Its payment is past due.',
  paused: 'It is paused.',
  ended: 'It has ended.',
};

/** Returns why a subscription stays as it is; undefined for one that changes. */
export const explainMigration = ({ reason, error }: PriceMigrationFinding): string | undefined =>
  reason ? SKIPPED[reason] : error?.message;

/** Returns what a migration is called. */
export const migrationName = ({ mode }: Pick<PriceMigration, 'mode'>): string =>
  mode === 'apply' ? 'Apply' : 'Report';

/** Returns how far a migration is: `120 of 300`. */
export const progressText = ({ done, total }: PriceMigration['progress']): string =>
  total === null ? `${formatCount(done)} so far` : `${formatCount(done)} of ${formatCount(total)}`;

/** Returns a number of subscriptions: `1 subscription`. */
export const subscriptionsOf = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'subscription' : 'subscriptions'}`;
