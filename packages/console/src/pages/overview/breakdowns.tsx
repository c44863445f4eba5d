import type { Analytics, CancellationCount } from '@billing/client';
import { useProductNames } from '#api/use-product-names.ts';
import { Card } from '#layout/page.tsx';
import { ProjectLink, type Place } from '#layout/project-link.tsx';
import { formatCount, formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { SkeletonLines } from '#ui/states.tsx';
import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { LISTED_REASONS } from '../subscriptions/cancellation-reasons.ts';
import { type Window, windowSearch, windowText } from './periods.ts';
import { revenueByProduct } from './revenue-by-product.ts';

interface Row extends Place {
  readonly name: string;
  readonly value: number;
  /** How the number is shown, if not as a count. */
  readonly shown?: string;
  readonly tone?: string;
}

/** Numbers as bars, each of which opens its list. */
function Bars({ rows }: { readonly rows: readonly Row[] }) {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ul className="bars">
      {rows.map(({ name, value, shown = formatCount(value), tone = '', page, search = {} }) => (
        <li key={name}>
          <ProjectLink page={page} search={search} className="bar-row">
            <span className="bar-name truncate">{name}</span>
            <span className="bar-track" aria-hidden="true">
              <span className={`bar-fill ${tone}`} style={{ display: 'block', width: `${(100 * value) / most}%` }} />
            </span>
            <span className="num">{shown}</span>
          </ProjectLink>
        </li>
      ))}
    </ul>
  );
}

interface BreakdownsProps {
  readonly analytics: Analytics;
  readonly cancellations: readonly CancellationCount[];
  readonly currency: string;
  readonly window: Window;
}

export function Breakdowns({ analytics, cancellations, currency, window }: BreakdownsProps) {
  const { subscriptionBreakdown, webhookStats, referralStats } = analytics;
  const statuses = Object.entries(SUBSCRIPTION_STATUS) as [
    keyof typeof SUBSCRIPTION_STATUS,
    { name: string; tone: string },
  ][]; // an object's keys are typed as string
  return (
    <div className="breakdowns">
      <ProductsCard analytics={analytics} currency={currency} />
      <Card title="Subscriptions by status">
        <Bars
          rows={statuses
            .filter(
              ([status]) =>
                subscriptionBreakdown[status] > 0 || ['active', 'trialing', 'past_due', 'canceled'].includes(status),
            )
            .map(([status, { name, tone }]) => ({
              name,
              tone,
              value: subscriptionBreakdown[status],
              page: 'subscriptions',
              search: { status },
            }))}
        />
      </Card>
      <Card title="Cancellations" lead={canceledIn(cancellations, windowText(window))}>
        <Bars
          rows={cancellations.map(({ reason, count }) => ({
            name: LISTED_REASONS[reason ?? 'none'],
            value: count,
            page: 'overview/subscriptions',
            search: { metric: 'cancellations', ...windowSearch(window), reason: reason ?? 'none' },
          }))}
        />
      </Card>
      <Card title="Webhook events" lead={healthOf(webhookStats)}>
        <Bars
          rows={[
            { name: 'Received', value: webhookStats.total, page: 'events' },
            {
              name: 'Processed',
              value: webhookStats.processed,
              tone: 'good',
              page: 'events',
              search: { status: 'processed' },
            },
            { name: 'Failed', value: webhookStats.failed, tone: 'bad', page: 'events', search: { status: 'failed' } },
          ]}
        />
      </Card>
      <Card title="Referrals" lead={conversionOf(referralStats)}>
        <Bars
          rows={[
            { name: 'Codes', value: referralStats.totalCodes, page: 'referrals' },
            { name: 'Referred', value: referralStats.totalReferrals, page: 'referrals' },
            { name: 'Converted', value: referralStats.converted, tone: 'good', page: 'referrals' },
          ]}
        />
      </Card>
    </div>
  );
}

/** What each product adds to the revenue of now. */
function ProductsCard({ analytics, currency }: Pick<BreakdownsProps, 'analytics' | 'currency'>) {
  const names = useProductNames();
  return (
    <Card title="Revenue by product" lead="Monthly recurring revenue now, at face value.">
      {names.isLoaded ? (
        <Bars
          rows={revenueByProduct(analytics, currency, names).map(({ product, mrr }) => ({
            name: product?.name ?? 'Other',
            value: mrr,
            shown: formatMoney(mrr, currency),
            ...(product
              ? { page: `products/${product.id}` }
              : { page: 'overview/subscriptions', search: { metric: 'mrr' } }),
          }))}
        />
      ) : (
        <SkeletonLines lines={4} />
      )}
    </Card>
  );
}

function canceledIn(cancellations: readonly CancellationCount[], days: string): string {
  if (cancellations.length === 0) return `Nobody canceled ${days}.`;
  return `What was requested ${days}, by its reason.`;
}

function healthOf({ total, failed }: Analytics['webhookStats']): string {
  if (total === 0) return 'None has arrived yet.';
  return failed === 0 ? 'None has failed.' : `${formatCount(failed)} failed: replay them once the cause is fixed.`;
}

function conversionOf({ totalReferrals, converted }: Analytics['referralStats']): string {
  if (totalReferrals === 0) return 'Nobody was referred yet.';
  return `${formatPercent(Math.round((100 * converted) / totalReferrals))} of those referred have subscribed.`;
}
