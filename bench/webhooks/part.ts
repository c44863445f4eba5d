import type { Part, PartOptions, Result } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { startSharedPostgres } from '../bench-postgres.ts';
import { quantile } from '../statistics.ts';
import { startSyncEngine, type SyncEngine } from '../sync-engine/sync-engine.ts';
import { startBilling, type Billing } from './billing.ts';
import type { Sent } from './generator.ts';
import { startLoad, type Load } from './load.ts';
import { POISONED_EVENTS } from './poisoned-events.ts';
import { requireNewestQuantities } from './subscription-events.ts';

const EVENTS_PER_ROUND = 10_000;
const SUBSCRIPTIONS = 1_000;
const CONNECTIONS = 32;

/** One side in one round. Rates are events per second, latencies are milliseconds. */
interface Measured {
  readonly acknowledged: number;
  readonly applied: number;
  readonly acknowledgedLatencies: readonly number[];
  readonly appliedLatencies: readonly number[];
}

interface Round {
  readonly billing: Measured;
  readonly syncEngine: Measured;
}

/** Sends the same signed events to our gateway and to the sync engine, which use one PostgreSQL server. */
export const webhooks: Part = { name: 'webhooks', measure };

async function measure({ rounds, scale }: PartOptions): Promise<Result[]> {
  await using resources = new AsyncDisposableStack();
  const { adminUrl, dataDir } = resources.use(await startSharedPostgres());
  const syncEngine = resources.use(await startSyncEngine(adminUrl));
  const subscriptions = Math.ceil(SUBSCRIPTIONS / scale);
  const billing = resources.use(await startBilling({ dataDir, adminUrl, subscriptions }));
  const sides = { billing, syncEngine, load: resources.use(startLoad()) };

  let sent = 0;
  const take = (count: number): Events => {
    const events = { shop: billing.shop, connections: CONNECTIONS, first: sent, count };
    sent += count;
    return events;
  };
  const nextRound = async (name: string, count: number): Promise<Round> => {
    const round = await measureBoth(sides, take(count));
    console.log(`${name}: ${describeRound(round)}`);
    return round;
  };
  await nextRound('creation', subscriptions);
  const perRound = Math.ceil(EVENTS_PER_ROUND / scale);
  await nextRound('warm-up', perRound);
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) measured.push(await nextRound(`round ${round}`, perRound));
  await verifySyncEngine(syncEngine, billing, sent);
  console.log(describeLatencies(measured));

  const poisoned: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await billing.postPoisonedEvents();
    const { applied } = await measureBilling(sides, take(perRound));
    poisoned.push(applied);
    console.log(`round ${round} with ${POISONED_EVENTS} more poisoned events: applied/s ${applied.toFixed(0)}`);
    await billing.untilCounted(sent);
  }
  await billing.verify(sent);
  return [...toResults(measured, poisoned), await measureLargeCustomer(sides, subscriptions, measured)];
}

function toResults(rounds: readonly Round[], poisoned: readonly number[]): Result[] {
  const other = 'sync engine';
  const rates = (of: (side: Measured) => number) => ({
    ours: rounds.map(({ billing }) => of(billing)),
    theirs: rounds.map(({ syncEngine }) => of(syncEngine)),
  });
  const applied = rates(it => it.applied);
  return [
    compareRates({ what: 'webhooks acknowledged/s', ...rates(it => it.acknowledged), other, atLeast: 1.5 }),
    compareRates({ what: 'webhooks applied/s', ...applied, other, atLeast: 1 }),
    compareRates({
      what: 'webhooks applied/s after poisoned events',
      ours: poisoned,
      theirs: applied.ours,
      other: 'without them',
      atLeast: 0.9,
    }),
  ];
}

/** How fast events are applied when all subscriptions have one customer, whose state they change. */
async function measureLargeCustomer(
  { billing, load }: Sides,
  subscriptions: number,
  measured: readonly Round[],
): Promise<Result> {
  const apply = async (first: number, count: number) => {
    const sent = await load.send({ ...billing.largeCustomer, connections: CONNECTIONS, first, count });
    return toMeasured(count, sent, await billing.untilApplied(first, count, billing.largeCustomer.shop)).applied;
  };
  await apply(0, subscriptions);
  const ours = [await apply(subscriptions, subscriptions), await apply(2 * subscriptions, subscriptions)];
  return compareRates({
    what: `webhooks applied/s of one customer with ${subscriptions} subscriptions`,
    ours,
    theirs: measured.map(round => round.billing.applied),
    other: 'a customer each',
    atLeast: 0.5,
  });
}

interface Sides {
  readonly billing: Billing;
  readonly syncEngine: SyncEngine;
  readonly load: Load;
}

/** Subscription events, from number `first` on. */
type Events = Pick<Billing, 'shop'> & {
  readonly connections: number;
  readonly first: number;
  readonly count: number;
};

/** The sync engine's turn starts when our analytics counts every event, so that no background work is left. */
async function measureBoth(sides: Sides, events: Events): Promise<Round> {
  const ours = await measureBilling(sides, events);
  await sides.billing.untilCounted(events.first + events.count);
  const { url, secret } = sides.syncEngine;
  const theirs = await sides.load.send({ ...events, url, secret });
  // The sync engine applies an event before it responds.
  return { billing: ours, syncEngine: toMeasured(events.count, theirs, theirs) };
}

async function measureBilling({ billing, load }: Pick<Sides, 'billing' | 'load'>, events: Events): Promise<Measured> {
  const { first, count } = events;
  const sent = await load.send({ ...events, url: billing.url, secret: billing.secret });
  return toMeasured(count, sent, await billing.untilApplied(first, count));
}

function toMeasured(
  count: number,
  sent: Sent,
  applied: { readonly endedAt: number; readonly latencies: readonly number[] },
): Measured {
  const perSecond = (endedAt: number) => count / ((endedAt - sent.startedAt) / 1_000);
  return {
    acknowledged: perSecond(sent.endedAt),
    applied: perSecond(Math.max(applied.endedAt, sent.endedAt)),
    acknowledgedLatencies: sent.latencies,
    appliedLatencies: applied.latencies,
  };
}

/** @throws Error unless its tables show each subscription as its last of the first `sent` events does */
async function verifySyncEngine({ database }: SyncEngine, { shop }: Billing, sent: number): Promise<void> {
  const { rows } = await database.query<{ subscription: string; quantity: number }>(
    'select subscription, quantity from stripe.subscription_items',
  );
  const quantities = new Map(rows.map(row => [row.subscription, row.quantity]));
  requireNewestQuantities(shop, sent, id => quantities.get(id));
}

const describeRound = ({ billing, syncEngine }: Round): string =>
  [
    describeRates('acknowledged/s', billing.acknowledged, syncEngine.acknowledged),
    describeRates('applied/s', billing.applied, syncEngine.applied),
  ].join(', ');

function describeLatencies(rounds: readonly Round[]): string {
  const ms = (of: (round: Round) => readonly number[]) => {
    const all = rounds.flatMap(of);
    return `${quantile(all, 0.5).toFixed(1)}/${quantile(all, 0.99).toFixed(1)}`;
  };
  return [
    `one event, p50/p99 in ms: acknowledged ${ms(it => it.billing.acknowledgedLatencies)}`,
    `applied ${ms(it => it.billing.appliedLatencies)}`,
    `sync engine ${ms(it => it.syncEngine.acknowledgedLatencies)}`,
  ].join(', ');
}
