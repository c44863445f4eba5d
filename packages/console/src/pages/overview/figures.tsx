import type { Analytics, DunningTotals, PaymentTotals } from '@billing/client';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatCount, formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { Figure } from './figure.tsx';
import { MoneyFigures } from './money-figures.tsx';
import { excludedCount } from './metrics.ts';

/** What a figure shows when there is nothing to divide. */
const NOTHING = '–';

interface FiguresProps {
  readonly analytics: Analytics;
  /** Undefined until it is loaded, null when it can't be. */
  readonly totals: PaymentTotals | undefined | null;
  readonly dunning: DunningTotals | undefined | null;
  /** How much revenue changed in the window. */
  readonly net: number;
  readonly currency: string;
  readonly days: number;
  /** The first day of the window, in the reader's zone. */
  readonly since: string;
}

export function Figures({ analytics, totals, dunning, net, currency, days, since }: FiguresProps) {
  const { mrr, arr, customerCount, churn, churnRate, trialConversion, subscriptionBreakdown: statuses } = analytics;
  const [first] = analytics.customerGrowth;
  const grown = first ? customerCount - first.count : 0;
  const excluded = excludedCount(analytics);
  return (
    <div className="figures">
      <Figure
        name="MRR"
        value={formatMoney(mrr, currency)}
        note={
          <>
            <Change amount={net} text={formatMoney(net, currency)} /> in {days} days
            <PartsOfMrr analytics={analytics} currency={currency} />
          </>
        }
        page="overview/subscriptions"
        search={{ metric: 'mrr' }}
      />
      <Figure
        name="ARR"
        value={formatMoney(arr, currency)}
        note="twelve times MRR"
        page="overview/subscriptions"
        search={{ metric: 'mrr' }}
      />
      <MoneyFigures totals={totals} dunning={dunning} currency={currency} days={days} since={since} />
      <Figure
        name="Customers"
        value={formatCount(customerCount)}
        note={
          <>
            <Change amount={grown} text={formatCount(grown)} /> in {days} days
          </>
        }
        page="customers"
      />
      <Figure
        name="Churn"
        value={churn.active === 0 ? NOTHING : formatPercent(churnRate)}
        note={
          churn.active === 0
            ? `nobody was active ${days} days ago`
            : `${formatCount(churn.ended)} of ${formatCount(churn.active)} active ${days} days ago`
        }
        page="overview/subscriptions"
        search={{ metric: 'churn', days }}
      />
      <Figure
        name="Trial conversion"
        value={trialConversion.ended === 0 ? NOTHING : formatPercent(trialConversion.rate)}
        note={
          trialConversion.ended === 0
            ? `no trial ended in ${days} days`
            : `${formatCount(trialConversion.converted)} of ${formatCount(trialConversion.ended)} that ended in ${days} days`
        }
        page="overview/subscriptions"
        search={{ metric: 'trialConversion', days }}
      />
      <Figure
        name="Active subscriptions"
        value={formatCount(statuses.active)}
        note="not counting trials"
        page="subscriptions"
        search={{ status: 'active' }}
      />
      <Figure
        name="In a trial"
        value={formatCount(statuses.trialing)}
        note="subscriptions now"
        page="subscriptions"
        search={{ status: 'trialing' }}
      />
      {excluded > 0 && (
        <Figure
          name="Left out of MRR"
          value={formatCount(excluded)}
          note="tiered, metered, or in another currency"
          page="overview/subscriptions"
          search={{ metric: 'excluded' }}
        />
      )}
    </div>
  );
}

/** What is left of the revenue after discounts, what of it is in trials or paused, and revenue in other currencies; each opens its list. */
function PartsOfMrr({
  analytics: { mrr, mrrDiscounted, mrrTrialing, mrrPaused, mrrByCurrency },
  currency,
}: Pick<FiguresProps, 'analytics' | 'currency'>) {
  const others = Object.entries(mrrByCurrency).filter(([other]) => other !== currency);
  const afterDiscounts = mrrDiscounted === mrr ? 0 : mrrDiscounted;
  const parts = [
    {
      key: 'mrrDiscounted',
      amount: afterDiscounts,
      of: currency,
      words: ' after discounts',
      search: { metric: 'mrrDiscounted' },
    },
    { key: 'mrrTrialing', amount: mrrTrialing, of: currency, words: ' in trials', search: { metric: 'mrrTrialing' } },
    { key: 'mrrPaused', amount: mrrPaused, of: currency, words: ' paused', search: { metric: 'mrrPaused' } },
    ...others.map(([of, amount]) => ({ key: of, amount, of, words: '', search: { metric: 'mrr', currency: of } })),
  ].filter(({ amount }) => amount > 0);
  return parts.map(({ key, amount, of, words, search }) => (
    <span key={key}>
      {' · '}
      <ProjectLink page="overview/subscriptions" search={search}>
        {formatMoney(amount, of)}
        {words}
      </ProjectLink>
    </span>
  ));
}

function Change({ amount, text }: { readonly amount: number; readonly text: string }) {
  if (amount === 0) return <span>no change</span>;
  return <span className={amount > 0 ? 'up' : 'fall'}>{amount > 0 ? `+${text}` : text}</span>;
}
