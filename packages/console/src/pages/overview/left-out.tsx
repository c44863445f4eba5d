import type { Analytics } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { excludedCount, isMovement, METRICS, type Metric } from './metrics.ts';

/** Statuses that each figure leaves out, so that their subscriptions can be opened. */
function statusesLeftOutOf(metric: Metric): readonly (keyof typeof SUBSCRIPTION_STATUS)[] {
  if (metric === 'mrr' || metric === 'excluded') return ['past_due', 'unpaid', 'paused', 'incomplete'];
  return metric === 'trialConversion' ? ['trialing', 'incomplete'] : [];
}

/** What a figure has no row for and why, with links to it. */
export function LeftOut({ metric, analytics }: { readonly metric: Metric; readonly analytics: Analytics }) {
  const { tiered, metered, otherCurrency } = analytics.mrrExcluded;
  const excluded = metric === 'mrr' || isMovement(metric) ? excludedCount(analytics) : 0;
  const statuses = statusesLeftOutOf(metric).filter(status => analytics.subscriptionBreakdown[status] > 0);
  return (
    <Card title="Left out" lead={METRICS[metric].leftOut}>
      {excluded === 0 && statuses.length === 0 ? (
        <p className="muted">Nothing else is left out now.</p>
      ) : (
        <ul className="stack-s">
          {excluded > 0 && (
            <li>
              <ProjectLink page="overview/subscriptions" search={{ metric: 'excluded' }}>
                {excluded} live subscriptions now
              </ProjectLink>
              : {tiered} with tiered prices, {metered} billed by usage, {otherCurrency} in another currency.
            </li>
          )}
          {statuses.map(status => (
            <li key={status}>
              <ProjectLink page="subscriptions" search={{ status }}>
                {SUBSCRIPTION_STATUS[status].name} now: {analytics.subscriptionBreakdown[status]}
              </ProjectLink>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
