import type { Customer, Price, Usage } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasCode } from '#api/failure.ts';
import type { ProjectScope } from '#api/project.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, testClockQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useFirstPage, type ListSource } from '#layout/use-list-rows.ts';
import { formatCount } from '#ui/amount.ts';
import { SelectField } from '#ui/field.tsx';
import { formatDay, Time } from '#ui/time.tsx';
import { customerLists } from './customer-records.ts';
import { daysWithUsage, lastDays, metersOf } from './usage-days.ts';

const REFRESH_MS = 5_000;
/** The service reads it at Stripe. */
const SUMMARY_REFRESH_MS = 60_000;
const MAX_REJECTED = 10;

const usageList = ({ billing, key }: ProjectScope, filter: { customerId: string; status?: 'rejected' }) =>
  ({
    queryKey: key('usage', filter),
    list: (page, signal) => billing.usage.list({ ...filter, ...page }, { signal }),
    refreshMs: REFRESH_MS,
  }) satisfies ListSource<Usage>;

/** What a customer has used; nothing in a project that sells nothing by usage, or when no meter is known. */
export function UsageCard({ customer }: { readonly customer: Customer }) {
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  return prices.some(({ meter }) => meter !== undefined) ? <UsageOf customer={customer} prices={prices} /> : null;
}

interface UsageOfProps {
  readonly customer: Customer;
  readonly prices: readonly Price[];
}

/** What a customer has used by meter and day, and what of it was rejected. */
function UsageOf({ customer: { id, testClockId }, prices }: UsageOfProps) {
  const scope = useProject();
  const usage = useFirstPage(usageList(scope, { customerId: id }));
  const rejected = useFirstPage(usageList(scope, { customerId: id, status: 'rejected' }));
  const subscriptions = useFirstPage(customerLists(scope, id).subscriptions);
  const [chosen, setChosen] = useState<string>();
  const meters = metersOf(usage.data?.items ?? [], subscriptions.data?.items ?? [], prices);
  const meter = meters.find(name => name === chosen) ?? meters[0];
  if (meter === undefined) return null;
  return (
    <Card title="Usage">
      <div className="stack">
        <SelectField label="Meter" value={meter} onChange={event => setChosen(event.target.value)}>
          {meters.map(name => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <UsageByDay customerId={id} testClockId={testClockId} meter={meter} />
        <Rejected of={rejected.data?.items.slice(0, MAX_REJECTED) ?? []} />
      </div>
    </Card>
  );
}

interface UsageByDayProps {
  readonly customerId: string;
  readonly testClockId: string | undefined;
  readonly meter: string;
}

/** What a meter has counted on each of the last 30 days with usage, by the time of the customer. */
function UsageByDay({ customerId, testClockId, meter }: UsageByDayProps) {
  const scope = useProject();
  const { billing, key } = scope;
  const clock = useQuery({ ...testClockQuery(scope, testClockId ?? ''), enabled: testClockId !== undefined });
  const now = clock.data?.now;
  const query = useQuery({
    queryKey: key('usage', 'days', customerId, meter, now),
    queryFn: ({ signal }) =>
      billing.usage.sumUp(customerId, { meter, ...lastDays(now ? new Date(now) : new Date()) }, { signal }),
    enabled: testClockId === undefined || now !== undefined,
    refetchInterval: ({ state }) => (state.error ? false : SUMMARY_REFRESH_MS),
  });
  if (hasCode(query.error, 'meter_not_found'))
    return <p className="muted">Stripe has no active meter with this name, so nothing is counted.</p>;
  if (!query.data) return <Loading query={clock.error ? clock : query} lines={3} />;
  const days = daysWithUsage(query.data);
  const most = Math.max(1, ...days.map(({ value }) => value));
  const sum = days.reduce((total, { value }) => total + value, 0);
  return (
    <>
      <p>
        <strong className="num">{formatCount(sum)}</strong>{' '}
        <span className="muted">in the last 30 days, by UTC day</span>
      </p>
      <ul className="bars" aria-label="Usage by day">
        {days.map(({ day, value }) => (
          <li key={day} className="bar-row">
            <span className="bar-name">{formatDay(day)}</span>
            <span className="bar-track" aria-hidden="true">
              <span className="bar-fill" style={{ display: 'block', width: `${(100 * value) / most}%` }} />
            </span>
            <span className="num">{formatCount(value)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The newest usage that Stripe did not take, and why. */
function Rejected({ of }: { readonly of: readonly Usage[] }) {
  if (of.length === 0) return null;
  return (
    <section className="stack-s" aria-label="Rejected usage">
      <h3>Rejected</h3>
      <ul className="stack-s">
        {of.map(({ id, meter, value, at, reason }) => (
          <li key={id}>
            <span className="num">{formatCount(value)}</span> of <bdi>{meter}</bdi>, <Time at={at} show="time" />
            <div className="muted small">
              <code>{id}</code>
              {reason && <bdi> · {reason.message}</bdi>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
