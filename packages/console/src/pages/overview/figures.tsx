import type { Analytics, AnalyticsHistory, DunningTotals, PaymentTotals } from '@billing/client';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatCount, formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { sumsOf } from '../failing-payments/dunning-sums.ts';
import { Figure, MoneyFigure } from './figure.tsx';
import { excludedCount } from './metrics.ts';
import { daysSearch, startText, type Window, windowSearch, windowText } from './periods.ts';

/** What a figure shows when there is nothing to divide. */
const NOTHING = '–';

/** What the overview shows of a window. */
export interface WindowData {
  readonly analytics: Analytics;
  readonly history: AnalyticsHistory;
  /** Null when they can't be loaded. */
  readonly totals: PaymentTotals | null;
  readonly dunning: DunningTotals | null;
}

interface FiguresProps extends WindowData {
  /** The same of the period before; undefined when it can't be loaded. */
  readonly before: WindowData | undefined;
  readonly window: Window;
}

export function Figures({ analytics, history, totals, dunning, before, window }: FiguresProps) {
  const { churn, churnRate, trialConversion, subscriptionBreakdown: statuses } = analytics;
  const { currency } = history;
  const last = history.history.at(-1);
  const [mrr, customers] = window.isOpen
    ? [analytics.mrr, analytics.customerCount]
    : [last?.mrr ?? 0, last?.customerCount ?? 0];
  const lastBefore = before?.history.history.at(-1);
  const [first] = analytics.customerGrowth;
  const grown = first ? customers - first.count : 0;
  const excluded = excludedCount(analytics);
  const net = history.totals.netMrr;
  const days = windowText(window);
  const shownMrr = { metric: 'mrr', to: window.isOpen ? undefined : window.to };
  return (
    <div className="figures">
      <Figure
        name="MRR"
        value={formatMoney(mrr, currency)}
        note={
          <>
            <Change amount={net} text={formatMoney(net, currency)} /> {days}
            {window.isOpen && <PartsOfMrr analytics={analytics} currency={currency} />}
          </>
        }
        compared={{ now: mrr, before: lastBefore?.mrr }}
        page="overview/subscriptions"
        search={shownMrr}
      />
      <Figure
        name="ARR"
        value={formatMoney(window.isOpen ? analytics.arr : 12 * mrr, currency)}
        note="twelve times MRR"
        compared={{ now: mrr, before: lastBefore?.mrr }}
        page="overview/subscriptions"
        search={shownMrr}
      />
      <MoneyFigures totals={totals} dunning={dunning} before={before} currency={currency} window={window} />
      <Figure
        name="Customers"
        value={formatCount(customers)}
        note={
          <>
            <Change amount={grown} text={formatCount(grown)} /> {days}
          </>
        }
        compared={{ now: customers, before: lastBefore?.customerCount }}
        page="customers"
      />
      <Figure
        name="Churn"
        value={churn.active === 0 ? NOTHING : formatPercent(churnRate)}
        note={
          churn.active === 0
            ? `nobody was active ${startText(window)}`
            : `${formatCount(churn.ended)} of ${formatCount(churn.active)} active ${startText(window)}`
        }
        compared={
          before && before.analytics.churn.active > 0 && churn.active > 0
            ? { now: churnRate, before: before.analytics.churnRate, isRate: true, isLoss: true }
            : undefined
        }
        page="overview/subscriptions"
        search={{ metric: 'churn', ...windowSearch(window) }}
      />
      <Figure
        name="Trial conversion"
        value={trialConversion.ended === 0 ? NOTHING : formatPercent(trialConversion.rate)}
        note={
          trialConversion.ended === 0
            ? `no trial ended ${days}`
            : `${formatCount(trialConversion.converted)} of ${formatCount(trialConversion.ended)} that ended ${days}`
        }
        compared={
          before && before.analytics.trialConversion.ended > 0 && trialConversion.ended > 0
            ? { now: trialConversion.rate, before: before.analytics.trialConversion.rate, isRate: true }
            : undefined
        }
        page="overview/subscriptions"
        search={{ metric: 'trialConversion', ...windowSearch(window) }}
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
          note="tiered, metered, in another currency, or on a test clock"
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
}: Pick<FiguresProps, 'analytics'> & { readonly currency: string }) {
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
    ...others.map(([of, amount]) => ({
      key: of,
      amount,
      of,
      words: ` more in ${of.toUpperCase()}`,
      search: { metric: 'mrr', currency: of },
    })),
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

interface MoneyFiguresProps extends Pick<FiguresProps, 'totals' | 'dunning' | 'before' | 'window'> {
  readonly currency: string;
}

/** What customers have paid, what they owe, and what was paid after a payment had failed. */
const MoneyFigures = ({ totals, dunning, before, currency, window }: MoneyFiguresProps) => (
  <>
    <MoneyFigure
      name="Collected"
      sums={totals && totals.collected}
      before={before?.totals?.collected}
      currency={currency}
      note={`${windowText(window)}, less refunds`}
      page="payments"
      search={{ collected: 'true', ...daysSearch(window) }}
    />
    <MoneyFigure
      name="Past due"
      sums={totals && totals.pastDue}
      currency={currency}
      note={invoicesOf(totals?.pastDue.reduce((sum, { count }) => sum + count, 0) ?? 0)}
      page="invoices"
      search={{ pastDue: 'true' }}
    />
    <MoneyFigure
      name="Recovered"
      sums={dunning && sumsOf(dunning, 'recovered')}
      before={before?.dunning ? sumsOf(before.dunning, 'recovered') : undefined}
      currency={currency}
      note={`of payments that failed ${windowText(window)}`}
      page="failing-payments"
      search={{ status: 'recovered', ...daysSearch(window) }}
    />
  </>
);

function invoicesOf(count: number): string {
  if (count === 0) return 'no invoice is late';
  return count === 1 ? 'one invoice' : `${formatCount(count)} invoices`;
}
