import { randomUUID } from 'node:crypto';
import { envelope, type EventType } from '@billing/contracts/event';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { analytics, analyticsHistory } from '@billing/contracts/resources/analytics';
import { openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { TOGETHER } from '@billing/messaging/inbox';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../src/app.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { CONSUMERS, reactToFacts } from '../src/reactions/facts.ts';

/** A fact as it travels; `id` tells one recording of it from another. */
export interface SaidFact {
  readonly id: string;
  readonly type: string;
  readonly teamId: string;
  readonly occurredAt: Date;
  readonly data: unknown;
}

/** The fact as its service records it. */
export function saidFact<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: TeamId,
  data: z.output<Data>,
  occurredAt = new Date(),
): SaidFact {
  return { id: randomUUID(), type: type.name, teamId, occurredAt, data: type.data.encode(data) };
}

/** Analytics in a database of its own, hearing a bus that no other test hears. */
export async function startService() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: 'silent' });
  const { url } = resources.use(await createTestDatabase('analytics'));
  const database = resources.adopt(openDatabase(url), it => it.close());
  await migrate(database);
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const { receive } = reactToFacts(database.em, logger);
  for (const [consumer, filter] of Object.entries(CONSUMERS))
    resources.defer(await bus.consume(consumer, filter, receive, TOGETHER));
  const identity = testIdentity('analytics');
  let now = new Date();
  const { verifyIdentityToken } = identity;
  const app = createApp({ database, rpc: openRpcClient(bus), logger, verifyIdentityToken, clock: () => now });
  resources.adopt(app, it => it.close());

  const get = async (scope: ProjectScope, rest: string): Promise<unknown> => {
    const path = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/analytics${rest}`;
    const response = await app.inject({ url: path, headers: identity.asKey(scope) });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    return response.json();
  };

  return {
    app,
    bus,
    database,
    databaseUrl: url,
    identity,
    logger,
    setClock: (instant: Date) => void (now = instant),
    /** Puts facts on the bus in this order, repeats included, and waits until all are reacted to. */
    async hear(facts: readonly SaidFact[]): Promise<void> {
      for (const fact of facts)
        // Another message id each time, or the broker would drop the repeats before the service sees them.
        await bus.publish(fact.type, JSON.stringify(envelope.encode(fact)), randomUUID(), {});
      const ids = [...new Set(facts.map(fact => fact.id))];
      if (ids.length === 0) return;
      await waitFor(
        async () => {
          const rows = await database.em
            .fork()
            .execute<{ id: string }[]>('select event_id as id from processed_events where event_id in (?)', [ids]);
          return rows.length === ids.length;
        },
        { what: `${ids.length} facts to be reacted to`, timeoutMs: 60_000 },
      );
    },
    /** What `GET P/analytics` answers. */
    analytics: async (scope: ProjectScope, growthDays?: number) =>
      analytics.parse(await get(scope, growthDays === undefined ? '' : `?growthDays=${growthDays}`)),
    /** What `GET P/analytics/history` answers. */
    history: async (scope: ProjectScope, days?: number) =>
      analyticsHistory.parse(await get(scope, days === undefined ? '/history' : `/history?days=${days}`)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** A team and project that no other test knows. */
export const newScope = (): ProjectScope => ({ teamId: TeamId.create(), projectId: ProjectId.create() });
