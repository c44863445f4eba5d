import type { FailedStates, SubscriptionName } from '../checks/subscriptions.ts';
import type { Limits } from '../finding.ts';
import type { ReadOnlyDatabase } from './database.ts';

const NAME = `s.id, s.team_id as "teamId", s.processor_subscription_id as "processorSubscriptionId"`;
const IS_LIVE = `s.status in ('active', 'trialing', 'past_due')`;

/**
 * Reads the live subscriptions of customers that were deleted a while ago. A customer that was created anew for the same
 * customer of the processor takes the subscriptions over.
 */
export const readOfDeletedCustomers = (
  { query }: ReadOnlyDatabase,
  { waitingSeconds }: Limits,
): Promise<(SubscriptionName & { customerId: string })[]> =>
  query(
    `select ${NAME}, s.customer_id as "customerId"
       from subscriptions s join customer_copies c on (c.id, c.team_id, c.project_id) = (s.customer_id, s.team_id, s.project_id)
      where ${IS_LIVE} and c.deleted_at < clock_timestamp() - make_interval(secs => $1)
      order by s.id limit 1000`,
    [waitingSeconds],
  );

/** Reads the active subscriptions whose period has ended, and how many days ago. */
export const readEndedPeriods = ({ query }: ReadOnlyDatabase): Promise<(SubscriptionName & { daysAgo: number })[]> =>
  query(
    `select ${NAME}, (extract(epoch from clock_timestamp() - s.current_period_end) / 86400)::float8 as "daysAgo"
       from subscriptions s
      where s.status in ('active', 'trialing') and s.current_period_end < clock_timestamp() - interval '1 day'
      order by s.current_period_end limit 1000`,
  );

/** Reads how many changes of customers' states have failed again and again, by team. */
export const readFailedStates = ({ query }: ReadOnlyDatabase): Promise<FailedStates[]> =>
  query(
    `select team_id as "teamId", count(*)::int as count from customer_state_marks
      where attempts >= 8 group by team_id order by team_id limit 1000`,
  );
