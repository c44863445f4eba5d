import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { toDecimalText } from '@billing/contracts/decimal-text';
import type { ProjectScope } from '@billing/contracts/ids';
import { sumTerms } from '@billing/contracts/item-revenue';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import { toPage } from '@billing/contracts/pagination';
import { markList } from '@billing/database/cursors';
import type { AnalyticsSubscription, MovementMetric } from '@billing/contracts/resources/analytics';
import type { RpcClient } from '@billing/messaging/rpc';
import { churned, churnRate } from '#domain/churn.ts';
import { countedSubscription } from '#domain/counted-subscription.ts';
import { discountedRevenue } from '#domain/discounts.ts';
import { leftOutReason, liveCounts } from '#domain/left-out.ts';
import { parseLiveMetric, parseMovementMetric } from '#domain/metrics.ts';
import { discountedMrrIn, metricsOfPart, mrrIn, type MrrPart } from '#domain/mrr.ts';
import { termsOf } from '#domain/revenue-history.ts';
import { monthlyRevenue } from '#domain/revenue.ts';
import { trialConversion } from '#domain/trials.ts';
import { addDays, dayOf, FIRST_DAY, LAST_DAY, type UtcDay } from '#domain/utc-day.ts';
import { windowUntil } from '#domain/window.ts';
import {
  countCanceled,
  countContributing,
  countEndingLater,
  countTrialsEndingLater,
  listCanceled,
  listContributing,
  listLive,
  listLost,
  listTrials,
  type LiveRow,
  type SubscriptionRow,
} from '#persistence/listed-subscriptions.ts';
import { readMetrics, toChurnCounts, toTrialCounts } from '#persistence/metrics.ts';
import { findProject, readProject, type GenerationScope } from '#persistence/projects.ts';
import {
  countMoved,
  listMoved,
  readMovements,
  type Days,
  type MovedSubscription,
} from '#persistence/subscription-movements.ts';
import { findBaseCurrency } from './find-base-currency.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

type Query = z.output<typeof analyticsOperations.listAnalyticsSubscriptions.query>;
type Listed = z.output<typeof analyticsOperations.listAnalyticsSubscriptions.response>;

/** A subscription, and the time that the list is in the order of. */
interface FoundRow {
  readonly subscription: AnalyticsSubscription;
  readonly at: string;
}

/** A page of the subscriptions behind a metric, how many there are, and the metric. */
interface Found {
  readonly rows: readonly FoundRow[];
  readonly count: bigint;
  readonly total: number;
}

/**
 * Lists a page of the subscriptions behind a metric, with the metric itself, in one snapshot: those that `mrr` adds up, those
 * that it leaves out, wholly or in part, those that `churnRate` counts as lost, those whose trial ended, those that were canceled, or those that a movement of revenue adds up.
 * Reads no rows beyond the page, but of a part of `mrr` all live subscriptions, and of a movement no other days.
 * @throws Problem 503 when no event has named the base currency and the gateway does not reply
 */
export function listSubscriptions({ em, rpc, now }: Dependencies) {
  const baseCurrencyOf = findBaseCurrency({ em, rpc });
  return async (scope: ProjectScope, query: Query): Promise<Listed> => {
    const list = markList(query, query.metric, scope);
    const baseCurrency = await baseCurrencyOf(scope, await findProject(em.fork(), scope));
    const { rows: found } = await readProject(em, scope, (tx, current): Promise<Found> => {
      const { metric } = query;
      const wanted = { tx, current, query, currency: query.currency ?? baseCurrency, now: now() };
      if (metric === 'churn') return findLost(wanted);
      if (metric === 'trialConversion') return findTrials(wanted);
      if (metric === 'cancellations') return findCanceled(wanted);
      if (metric === 'mrr' && query.to && query.to < dayOf(wanted.now)) return findEarning(wanted, query.to);
      if (metric === 'mrr' || metric === 'mrrDiscounted' || metric === 'excluded') return findLive(wanted, metric);
      if (metric === 'mrrTrialing') return findPart(wanted, 'trialing');
      if (metric === 'mrrPaused') return findPart(wanted, 'paused');
      return findMoved(wanted, metric);
    });
    const { rows, total, count } = found;
    const placeOf = ({ at, subscription }: FoundRow) => ({ list, at, ids: [subscription.subscriptionId] });
    const [page, pagination] = toPage(query, rows, Number(count), placeOf);
    return { subscriptions: page.map(({ subscription }) => subscription), total, pagination };
  };
}

/** What a subscription shows of metrics that it is not behind. */
const NOTHING_SHOWN = { reason: null, converted: null, cancellation: null };

/** What is wanted of a list, in one snapshot of a project. */
interface Wanted {
  readonly tx: EntityManager;
  readonly current: GenerationScope;
  readonly query: Query;
  /** The one in the query, else the project's. */
  readonly currency: string;
  readonly now: Date;
}

async function findLost({ tx, current, query, currency, now }: Wanted): Promise<Found> {
  const window = windowUntil(now, query.growthDays, query.to);
  const metrics = await readMetrics(tx, current, window);
  const counts = toChurnCounts(metrics, await countEndingLater(tx, current, window));
  const rows = await listLost(tx, current, window, query);
  const found = rows.map(row => toRow(row, currency));
  return { rows: found, count: churned(counts).ended, total: churnRate(counts) };
}

async function findTrials({ tx, current, query, currency, now }: Wanted): Promise<Found> {
  const window = windowUntil(now, query.growthDays, query.to);
  const afterStart = toTrialCounts(await readMetrics(tx, current, window));
  const { ended, rate } = trialConversion(afterStart, await countTrialsEndingLater(tx, current, window));
  const rows = await listTrials(tx, current, window, query);
  const found = rows.map(row => toRow(row, currency, { converted: row.converted }));
  return { rows: found, count: BigInt(ended), total: rate };
}

async function findCanceled({ tx, current, query, currency, now }: Wanted): Promise<Found> {
  const window = windowUntil(now, query.growthDays, query.to);
  const rows = await listCanceled(tx, current, window, query);
  const found = rows.map(row => toRow(row, currency, { cancellation: row.cancellation }));
  const counts = (await countCanceled(tx, current, window)).filter(
    ({ reason }) => query.reason === undefined || query.reason === (reason ?? 'none'),
  );
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return { rows: found, count: BigInt(total), total };
}

async function findLive(
  { tx, current, query, currency, now }: Wanted,
  metric: 'mrr' | 'mrrDiscounted' | 'excluded',
): Promise<Found> {
  const { totals } = await readMetrics(tx, current, windowUntil(now, query.growthDays, query.to));
  const groups = liveCounts(totals, currency).filter(({ group, reason }) =>
    metric === 'excluded' ? reason !== null : group.currency === currency && group.isCounted,
  );
  const names = groups.map(group => group.metric);
  const rows = await listLive(tx, current, names, query);
  const count = groups.reduce((sum, group) => sum + group.count, 0n);
  if (metric === 'mrr') return { rows: rows.map(row => toRow(row, currency)), count, total: mrrIn(currency, totals) };
  if (metric === 'mrrDiscounted') {
    const found = rows.map(row => toRow({ ...row, amount: discountedAmount(row, dayOf(now)) }, currency));
    return { rows: found, count, total: discountedMrrIn(currency, totals) };
  }
  const found = rows.map(row => {
    const group = row.liveMetric === null ? undefined : parseLiveMetric(row.liveMetric);
    return toRow(row, currency, { reason: group ? leftOutReason(group, currency) : null });
  });
  return { rows: found, count, total: Number(count) };
}

const discountedAmount = ({ subscription }: LiveRow, today: UtcDay): string =>
  toDecimalText(discountedRevenue(countedSubscription.parse(subscription), today));

async function findPart({ tx, current, query, currency, now }: Wanted, part: MrrPart): Promise<Found> {
  const { totals } = await readMetrics(tx, current, windowUntil(now, query.growthDays, query.to));
  const names = metricsOfPart(currency, totals, part);
  const rows = await listContributing(tx, current, names, query);
  const found = rows.map(row => toRow(row, currency));
  return {
    rows: found,
    count: await countContributing(tx, current, names),
    total: mrrIn(currency, totals, part),
  };
}

async function findMoved({ tx, current, query, currency, now }: Wanted, metric: MovementMetric): Promise<Found> {
  const days = movementDays(query, now);
  const movements = (await readMovements(tx, current, days)).filter(it => it.currency === currency);
  const ofMetric = movements.filter(it => termsOf(metric, [it]).length > 0);
  const filter = { ...days, movements: ofMetric, isLeft: false };
  const rows = await listMoved(tx, current, filter, query);
  const found = rows.map(row => toPart(row, metric, currency));
  const count = await countMoved(tx, current, filter);
  return { rows: found, count, total: monthlyRevenue(termsOf(metric, movements)) };
}

/** The subscriptions that `mrr` added up at the end of a day before today: what all movements until then left. */
async function findEarning({ tx, current, query, currency }: Wanted, day: UtcDay): Promise<Found> {
  const days = { from: FIRST_DAY, to: day };
  const movements = (await readMovements(tx, current, days)).filter(it => it.currency === currency);
  const filter = { ...days, movements, isLeft: true };
  const rows = await listMoved(tx, current, filter, query);
  const found = rows.map(row => toPart(row, 'netMrr', currency));
  const count = await countMoved(tx, current, filter);
  return { rows: found, count, total: monthlyRevenue(movements) };
}

/** A subscription with its part of a movement. */
function toPart(row: MovedSubscription, metric: MovementMetric, currency: string): FoundRow {
  const { id: subscriptionId, customerId, status, at } = row;
  const parts = row.terms.flatMap(([name, amount]) => parseMovementMetric(name, BigInt(amount)) ?? []);
  const amount = toDecimalText(sumTerms(termsOf(metric, parts)));
  return { at, subscription: { subscriptionId, customerId, status, currency, amount, ...NOTHING_SHOWN } };
}

/** The wanted days, by default the last `growthDays` ones; today includes everything dated later. */
function movementDays({ growthDays, from, to }: Query, now: Date): Days {
  const today = dayOf(now);
  const last = to ?? today;
  return { from: from ?? addDays(today, 1 - growthDays), to: last >= today ? LAST_DAY : last };
}

function toRow(
  { id: subscriptionId, customerId, status, amount, currency, at }: SubscriptionRow,
  baseCurrency: string,
  shown: Partial<Pick<AnalyticsSubscription, 'reason' | 'converted' | 'cancellation'>> = {},
): FoundRow {
  const amountShown = { currency: currency ?? baseCurrency, amount };
  return {
    at,
    subscription: { subscriptionId, customerId, status, ...amountShown, ...NOTHING_SHOWN, ...shown },
  };
}
