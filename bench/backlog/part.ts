import { planBillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { newApiKey } from '../load/api-key.ts';
import { startBenchSystem, type BenchSystem } from '../load/bench-system.ts';
import { newEventReceiver, type EventReceiver } from '../load/event-receiver.ts';
import { getRequest, startRequestLoad } from '../load/request-load.ts';
import type { Part } from '../part.ts';
import { eventId } from '../webhooks/subscription-events.ts';
import { sampleMemory } from './memory-sampler.ts';
import { describeRound, resultsOf, type Round } from './report.ts';

const EVENTS = 100_000;
/** So that the events of one team, which may take three quarters of it, are not refused. */
const HIGH_WATER = 2 * EVENTS;
/** Each gets ten of the events. */
const SUBSCRIPTIONS = 10_000;
/** The generator signs so many events before it sends them. */
const EVENTS_AT_ONCE = 10_000;
/** What handles webhook events, directly or through other events. */
const CONSUMERS = ['subscriptions', 'analytics', 'referrals', 'portal'];
/** Of both kinds together. */
const READS_PER_SECOND = 10;

/** Stops the consumers while events arrive, starts them again, and measures how they catch up and serve reads meanwhile. */
export const backlog: Part = {
  name: 'backlog',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    const bench = resources.use(await startBenchSystem({ planPrograms }));
    const subscriptions = Math.ceil(SUBSCRIPTIONS / scale);
    const events = Math.ceil(EVENTS / scale);
    const receiver = resources.use(await newEventReceiver(bench, subscriptions));
    const apiKey = await newApiKey(bench.dataDir, receiver.tenant);
    let sent = subscriptions;
    await receiver.verify(sent);
    const measured: Round[] = [];
    for (let number = 1; number <= rounds; number += 1) {
      await Promise.all(CONSUMERS.map(name => bench.system.stopService(name)));
      await postBacklog(receiver, sent, events);
      const round = await drain(bench, receiver, { first: sent, events, apiKey });
      sent += events;
      await receiver.verify(sent);
      console.log(`round ${number}: ${describeRound(round)}`);
      measured.push(round);
    }
    return resultsOf(measured, events);
  },
};

/** The programs of a system whose webhooks service stores the whole backlog. */
async function planPrograms(inputs: PlanInputs) {
  const programs = await planBillingPrograms(inputs);
  const services = programs.services.map(it =>
    it.name === 'webhooks' ? { ...it, env: { ...it.env, OUTBOX_HIGH_WATER: String(HIGH_WATER) } } : it,
  );
  return { ...programs, services };
}

/**
 * Posts events, which are stored.
 * @throws Error when one was processed
 */
async function postBacklog(receiver: EventReceiver, first: number, events: number): Promise<void> {
  const { database, shop } = receiver;
  for (let posted = 0; posted < events; posted += EVENTS_AT_ONCE)
    await receiver.post(first + posted, Math.min(EVENTS_AT_ONCE, events - posted));
  const { rows } = await database.query<{ waiting: number }>(
    `select count(*)::int as waiting from webhooks.webhook_events
      where team_id = $1 and id between $2 and $3 and status = 'received'`,
    [shop.teamId, eventId(first), eventId(first + events - 1)],
  );
  if (rows[0]?.waiting !== events) throw new Error(`Only ${rows[0]?.waiting} of ${events} events wait.`);
}

/** Starts the consumers, and waits until they have processed the backlog. */
async function drain(
  { system, gatewayUrl }: BenchSystem,
  receiver: EventReceiver,
  { first, events, apiKey }: { readonly first: number; readonly events: number; readonly apiKey: string },
): Promise<Round> {
  using reads = startRequestLoad();
  const { teamId, projectId } = receiver.tenant;
  const project = `${gatewayUrl}/api/service/teams/${teamId}/projects/${projectId}`;
  const requests = ['/subscriptions?limit=50', '/analytics'].map(path =>
    getRequest(`${project}${path}`, { authorization: `Bearer ${apiKey}` }),
  );

  const stopSampling = sampleMemory(() => system.services);
  const startedAt = performance.timeOrigin + performance.now();
  await Promise.all(CONSUMERS.map(name => system.startService(name)));
  const readyMs = performance.timeOrigin + performance.now() - startedAt;
  const reading = reads.send({ origin: gatewayUrl, requests, pace: { perSecond: READS_PER_SECOND } });
  const [applied] = await Promise.all([
    receiver.untilApplied(first, events).finally(() => reads.stop()),
    reading, // rejects when a read can't be sent
  ]);
  const responses = await reading;
  const peaks = await stopSampling();
  return {
    readyMs,
    perSecond: events / ((applied.endedAt - startedAt) / 1_000),
    lists: responses.filter(({ request }) => request === 0),
    analytics: responses.filter(({ request }) => request === 1),
    // The local processor stands in for Stripe.
    peaks: peaks.filter(({ part }) => part !== 'processor'),
  };
}
