import { randomUUID } from 'node:crypto';
import { envelope, type Envelope, type EventType } from '@billing/contracts/event';
import { ProjectCreated } from '@billing/contracts/events/gateway';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { analytics, analyticsHistory } from '@billing/contracts/resources/analytics';
import { openBus } from '@billing/messaging/bus';
import { consume } from '@billing/messaging/consumer/consume';
import { openOutbox } from '@billing/messaging/outbox';
import { openRpcClient } from '@billing/messaging/rpc';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../src/app.ts';
import { analyticsEvents } from '../src/consumers/events.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { project } from './states.ts';

/** An event as its service publishes it; each call makes another event. */
export function newEvent<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: TeamId,
  data: z.output<Data>,
  occurredAt = new Date(),
): Envelope {
  return { id: randomUUID(), type: type.name, teamId, occurredAt, data: type.data.encode(data) };
}

/** Starts analytics with a database and a bus of its own. */
export async function startService() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: 'silent' });
  const { url } = resources.use(await createTestDatabase('analytics'));
  const database = resources.adopt(openDatabase(url), it => it.close());
  await migrate(database);
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const outbox = openOutbox(database.em);
  for (const consumer of analyticsEvents()) resources.defer(await consume(consumer, { bus, outbox, logger }));
  const identity = testIdentity('analytics');
  let now = new Date();
  const { verifyIdentityToken } = identity;
  const app = createApp({ database, rpc: openRpcClient(bus), logger, verifyIdentityToken, now: () => now });
  resources.adopt(app, it => it.close());

  const get = async (scope: ProjectScope, rest: string): Promise<unknown> => {
    const path = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/analytics${rest}`;
    const response = await app.inject({ url: path, headers: identity.asKey(scope) });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    return response.json();
  };

  const processedCount = async (ids: readonly string[]): Promise<number> => {
    const rows = await database.em
      .fork()
      .execute<unknown[]>('select 1 from processed_events where event_id in (?)', [ids]);
    return rows.length;
  };

  /** Publishes events in this order, repeats included, and waits until all are processed. */
  const process = async (events: readonly Envelope[]): Promise<void> => {
    for (const event of events)
      // Under a new message id each time, or NATS would drop the repeats.
      await bus.publish(event.type, JSON.stringify(envelope.encode(event)), randomUUID(), {});
    const ids = [...new Set(events.map(event => event.id))];
    if (ids.length === 0) return;
    await waitFor(async () => (await processedCount(ids)) === ids.length, {
      what: `${ids.length} events to be processed`,
      timeoutMs: 60_000,
    });
  };

  return {
    app,
    bus,
    database,
    databaseUrl: url,
    identity,
    logger,
    outbox,
    setNow: (time: Date) => void (now = time),
    process,
    /** A project in US dollars, of a new team unless given, whose creation is processed. */
    async createProject(teamId = TeamId.create()): Promise<ProjectScope> {
      const scope = { teamId, projectId: ProjectId.create() };
      await process([newEvent(ProjectCreated, teamId, project(scope))]);
      return scope;
    },
    /** `GET P/analytics`. */
    analytics: async (scope: ProjectScope, growthDays?: number) =>
      analytics.parse(await get(scope, growthDays === undefined ? '' : `?growthDays=${growthDays}`)),
    /** `GET P/analytics/history`. */
    history: async (scope: ProjectScope, days?: number) =>
      analyticsHistory.parse(await get(scope, days === undefined ? '/history' : `/history?days=${days}`)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** A team and project of which analytics has received nothing. */
export const newScope = (): ProjectScope => ({ teamId: TeamId.create(), projectId: ProjectId.create() });
