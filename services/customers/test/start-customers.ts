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
import { openCommittedEvents } from '@billing/messaging/committed-events';
import { openOutbox } from '@billing/messaging/outbox';
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
import { toRoutedEvent } from '@billing/testing/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { openCustomersOperationLog } from '../src/operations/open-operation-log.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { createApp } from '../src/app.ts';
import { customerEvents } from '../src/consumers/customers.ts';
import { customerRpc } from '../src/rpc/customers.ts';

/** The customers service in this process, with a database, a bus and an account of its own. */
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
  const now = () => new Date();
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
  const committed = openCommittedEvents();
  const outbox = openOutbox(em, committed);
  const operationLog = openCustomersOperationLog({ outbox, processors, logger, now });
  const { receive } = customerEvents({ em, processors, logger, now });
  resources.defer(customerRpc({ em, nats, root, logger }));

  const published: Envelope[] = [];
  for (const [index, filter] of ['customer.*.v1', 'processor-event.*.v1'].entries())
    resources.defer(
      await bus.consume(`test-${index}`, filter, async event => {
        published.push(event);
        return { kind: 'done' };
      }),
    );
  resources.adopt(startRelay({ em, publish: bus.publish, committed, logger }), it => it.stop());

  const identity = testIdentity('customers');
  const app = resources.adopt(
    createApp({ em, operationLog, now, verifyIdentityToken: identity.verifyIdentityToken, logger }),
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
      const event = toRoutedEvent(raw, of);
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
    /** The team's account at the processor, changed there and not through us. */
    dashboard: stripeClient(secretKey, localProcessor.url),
    database,
    disconnected,
    em,
    events,
    identity,
    operationLog,
    outbox,
    now,
    logger,
    processor,
    receive,
    scope,
    testDatabase,
    /** The events of these types that were published, in the order of arrival; waits until all of the outbox have come. */
    published: async (...types: { name: string }[]) => {
      await waitFor(
        async () => {
          const [row] = await em.fork().execute<{ count: string }[]>('select count(*) from outbox_events');
          return published.length >= Number(row?.count);
        },
        { what: 'the events to arrive' },
      );
      return published.filter(event => types.some(type => type.name === event.type));
    },
    /** Remote operations that are not finished. */
    openOperations: () =>
      em
        .fork()
        .execute<{ id: string; kind: string }[]>('select id, kind from remote_operations where due_at is not null'),
    /** Does what the reconciler does, once. */
    reconcile: async () => {
      await Promise.all((await operationLog.leaseDue(10)).map(operationLog.finishLeft));
    },
    /** Ends the leases of a process that died, and makes its operations due. */
    endLeases: () =>
      em.fork().execute('update remote_operations set due_at = clock_timestamp() where due_at is not null'),
    /** Runs one more copy of the reconciler until the end of the test. */
    startReconciler: () => resources.adopt(startReconciler({ operationLog, logger, intervalMs: 50 }), it => it.stop()),
    createCustomer: async (body: object = { email: 'ada@example.com' }, of = scope) =>
      (await call('POST', '/customers', { body, of })).body.customer,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Customers = Awaited<ReturnType<typeof startCustomers>>;

/** The states that events carry, in the same order. */
export function statesIn(events: readonly Envelope[]): Record<string, unknown>[] {
  return events.map(event => event.data as Record<string, unknown>); // every event of a customer carries an object
}
