import type { Analytics } from '@billing/client';
import { ProjectLink, type ProjectPage, type Search } from '#layout/project-link.tsx';
import { formatPercent } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import type { ReactNode } from 'react';
import { excludedCount } from './metrics.ts';

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note: ReactNode;
  readonly page: ProjectPage;
  readonly search?: Search;
}

/** A number that opens the list behind it. */
function Figure({ name, value, note, page, search = {} }: FigureProps) {
  return (
    <ProjectLink page={page} search={search} className="figure">
      <span className="name">{name}</span>
      <span className="value">{value}</span>
      <span className="note">{note}</span>
    </ProjectLink>
  );
}

const COUNT = new Intl.NumberFormat();
const count = (number: number): string => COUNT.format(number);

interface FiguresProps {
  readonly analytics: Analytics;
  /** How much revenue changed in the window. */
  readonly net: number;
  readonly currency: string;
  readonly days: number;
}

export function Figures({ analytics, net, currency, days }: FiguresProps) {
  const {
    mrr,
    mrrTrialing,
    mrrPaused,
    customerCount,
    churnRate,
    trialConversion,
    subscriptionBreakdown: statuses,
  } = analytics;
  const [first] = analytics.customerGrowth;
  const grown = first ? customerCount - first.count : 0;
  const excluded = excludedCount(analytics);
  const parts = [
    mrrTrialing > 0 && `${formatMoney(mrrTrialing, currency)} in trials`,
    mrrPaused > 0 && `${formatMoney(mrrPaused, currency)} paused`,
  ].filter(Boolean);
  return (
    <div className="figures">
      <Figure
        name="MRR"
        value={formatMoney(mrr, currency)}
        note={
          <>
            <Change amount={net} text={formatMoney(net, currency)} /> in {days} days
            {parts.length > 0 && (
              <>
                {' · '}
                {parts.join(', ')}
              </>
            )}
          </>
        }
        page="overview/subscriptions"
        search={{ metric: 'mrr' }}
      />
      <Figure
        name="Customers"
        value={count(customerCount)}
        note={
          <>
            <Change amount={grown} text={count(grown)} /> in {days} days
          </>
        }
        page="customers"
      />
      <Figure
        name="Churn"
        value={formatPercent(churnRate)}
        note={`of those active ${days} days ago`}
        page="overview/subscriptions"
        search={{ metric: 'churn', days }}
      />
      <Figure
        name="Trial conversion"
        value={formatPercent(trialConversion.rate)}
        note={
          trialConversion.ended === 0
            ? `no trial ended in ${days} days`
            : `${count(trialConversion.converted)} of ${count(trialConversion.ended)} that ended in ${days} days`
        }
        page="overview/subscriptions"
        search={{ metric: 'trialConversion', days }}
      />
      <Figure
        name="Active subscriptions"
        value={count(statuses.active)}
        note="not counting trials"
        page="subscriptions"
        search={{ status: 'active' }}
      />
      <Figure
        name="In a trial"
        value={count(statuses.trialing)}
        note="subscriptions now"
        page="subscriptions"
        search={{ status: 'trialing' }}
      />
      {excluded > 0 && (
        <Figure
          name="Left out of MRR"
          value={count(excluded)}
          note="tiered, metered, or in another currency"
          page="overview/subscriptions"
          search={{ metric: 'excluded' }}
        />
      )}
    </div>
  );
}

function Change({ amount, text }: { readonly amount: number; readonly text: string }) {
  if (amount === 0) return <span>no change</span>;
  return <span className={amount > 0 ? 'up' : 'fall'}>{amount > 0 ? `+${text}` : text}</span>;
}
