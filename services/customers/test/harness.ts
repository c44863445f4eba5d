import { randomBytes } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import type { Envelope } from '@billing/contracts/event';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { processorEvent, type ProcessorEventType } from '@billing/contracts/processor-events';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { serveRpc, openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { startRelay } from '@billing/messaging/relay';
import { seal } from '@billing/processor/credentials';
import { stripeClient } from '@billing/processor/stripe-client';
import { listEveryEvent } from '@billing/processor/every-event';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { toProjectEvent } from '@billing/testing/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { startReconciler } from '@billing/processor/journal/reconciler';
import { openCustomersJournal } from '../src/operations/open-journal.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { answerAboutCustomers } from '../src/answers/customers.ts';
import { createApp } from '../src/app.ts';
import { reactToCustomers } from '../src/reactions/customers.ts';

/** The customers service in this process, with a database, a bus and an account at the local processor that no other test sees. */
export async function startCustomers() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };

  const testDatabase = resources.use(await createTestDatabase('customers'));
  const database = resources.adopt(openDatabase(testDatabase.url), it => it.close());
  await migrate(database);
  const { em } = database;
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const { root } = bus;

  const localProcessor = resources.adopt(await startLocalProcessor(), it => it.close());
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const credentialsKey = randomBytes(32);
  const disconnected = new Set<TeamId>();
  resources.defer(
    serveRpc({ nats, root, logger }, FindProcessorCredentials, async ({ teamId }) =>
      disconnected.has(teamId)
        ? null
        : {
            version: 1,
            livemode: false,
            sealedSecretKey: seal(credentialsKey, { teamId, kind: 'secret-key' }, secretKey),
          },
    ),
  );
  const rpc = openRpcClient({ nats, root });
  const processors = resources.adopt(
    openTeamProcessors({ rpc, nats, root, credentialsKey, baseUrl: localProcessor.url }),
    it => it.close(),
  );
  const journal = openCustomersJournal({ em, processors, logger });
  const { receive } = reactToCustomers({ em, processors, logger });
  resources.defer(answerAboutCustomers({ em, nats, root, logger }));

  const facts: Envelope[] = [];
  for (const [index, filter] of ['customer.*.v1', 'processor-event.*.v1'].entries())
    resources.defer(
      await bus.consume(`heard-${index}`, filter, async event => {
        facts.push(event);
        return { kind: 'done' };
      }),
    );
  resources.defer(startRelay(em, bus.publish, logger));

  const identity = testIdentity('customers');
  const app = resources.adopt(
    createApp({ database, journal, verifyIdentityToken: identity.verifyIdentityToken, logger }),
    it => it.close(),
  );
  const processor = stripeProcessor(secretKey, localProcessor.url);

  const P = (of: ProjectScope) => `/api/service/teams/${of.teamId}/projects/${of.projectId}`;
  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, of = scope, headers = {} }: { body?: object; of?: ProjectScope; headers?: Record<string, string> } = {},
  ) => {
    const request: InjectOptions = { method, url: `${P(of)}${path}`, headers: { ...identity.asKey(of), ...headers } };
    if (body) request.payload = body;
    const response = await app.inject(request);
    return { status: response.statusCode, body: response.json(), headers: response.headers, text: response.body };
  };

  /** The processor's events of these types so far, oldest first, as the bus carries them to this project. */
  const events = async (types: ProcessorEventType[] = [], of = scope): Promise<Envelope[]> => {
    const found: Envelope[] = [];
    for (const raw of (await listEveryEvent(processor)).toReversed()) {
      const event = toProjectEvent(raw, of);
      if (event && (types.length === 0 || types.some(type => processorEvent(type).name === event.type)))
        found.push(event);
    }
    return found;
  };

  return {
    app,
    rpc,
    bus,
    call,
    control: new LocalProcessorControl(localProcessor.url, secretKey),
    /** The team's own account, as its people change it without us. */
    dashboard: stripeClient(secretKey, localProcessor.url),
    database,
    disconnected,
    em,
    events,
    facts,
    identity,
    journal,
    logger,
    processor,
    receive,
    scope,
    testDatabase,
    /** Every fact of these names that came over the bus; waits until all that is recorded has come. */
    heard: async (...types: { name: string }[]) => {
      await waitFor(
        async () => {
          const [row] = await em.fork().execute<{ count: string }[]>('select count(*) from outbox_events');
          return facts.length >= Number(row?.count);
        },
        { what: 'the facts to arrive' },
      );
      return facts.filter(fact => types.some(type => type.name === fact.type));
    },
    /** Writes to the processor that are on record and not finished. */
    pendingWrites: () =>
      em.fork().execute<{ kind: string }[]>('select kind from pending_writes where finished_at is null'),
    /** Runs one more copy of the reconciler until the end of the test. */
    startReconciler: () => resources.defer(startReconciler({ journal, em, logger, intervalMs: 50 })),
    createCustomer: async (body: object = { email: 'ada@example.com' }, of = scope) =>
      (await call('POST', '/customers', { body, of })).body.customer,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Customers = Awaited<ReturnType<typeof startCustomers>>;

/** The states that facts of a kind carry, in the order they came. */
export function statesIn(facts: readonly Envelope[]): Record<string, unknown>[] {
  return facts.map(fact => fact.data as Record<string, unknown>); // every fact of a customer carries an object
}
