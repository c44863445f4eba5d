import { randomBytes } from 'node:crypto';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { portalSession } from '@billing/contracts/resources/portal-session';
import { startLocalProcessor } from '@billing/local-processor/server';
import { openBus } from '@billing/messaging/bus';
import { openRpcClient } from '@billing/messaging/rpc';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../src/app.ts';
import { customerEvents } from '../src/consumers/customer-events.ts';
import { tokenKeyFrom } from '../src/domain/token.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { serveOtherServices } from './other-services.ts';

export const PUBLIC_URL = 'https://billing.example.com';

/** Starts the portal in this process, with a database, a bus and a processor account of its own, and one customer. */
export async function startService() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const identity = testIdentity('portal');
  const testDatabase = resources.use(await createTestDatabase('portal'));
  const database = openDatabase(testDatabase.url);
  resources.defer(() => database.close());
  await migrate(database);

  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const rpc = openRpcClient(bus);

  const stripe = resources.adopt(await startLocalProcessor(), it => it.close());
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const processor = stripeProcessor(secretKey, stripe.url);
  const credentialsKey = randomBytes(32);

  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const customerId = CustomerId.create();
  const { id: processorCustomerId } = await processor.createCustomer(
    { email: 'ada@example.com', metadata: {} },
    customerId,
  );
  const customer = { scope, customerId, processorCustomerId };
  const otherServices = resources.use(serveOtherServices({ bus, logger, ...customer, credentialsKey, secretKey }));
  await nats.flush();

  const processors = resources.adopt(openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl: stripe.url }), it =>
    it.close(),
  );
  const app = createApp({
    em: database.em,
    rpc,
    processors,
    publicUrl: PUBLIC_URL,
    tokenKey: tokenKeyFrom(credentialsKey),
    processorBaseUrl: stripe.url,
    now: () => new Date(),
    logger,
    verifyIdentityToken: identity.verifyIdentityToken,
  });
  resources.adopt(app, it => it.close());

  const createSession = (payload: object = {}, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/portal`,
      payload: { customerId, ...payload },
      headers: { ...identity.asKey(scope), ...headers },
    });

  return {
    app,
    database,
    identity,
    ...customer,
    otherServices,
    stripe,
    secretKey,
    processor,
    createSession,
    /** Creates a session and returns its link. */
    createLink: async (payload: object = {}) => {
      const response = await createSession(payload);
      return response.json<z.input<typeof portalSession>>();
    },
    /** Opens a path below the page as the holder of a link. */
    visit: (token: string, path = '', headers: Record<string, string> = {}) =>
      app.inject({ method: 'GET', url: `/portal/${token}${path}`, headers: { ...identity.anonymous(), ...headers } }),
    /** Submits a form of the page, as a browser without script does. */
    submit: (token: string, path: string) =>
      app.inject({
        method: 'POST',
        url: `/portal/${token}${path}`,
        headers: { ...identity.anonymous(), 'content-type': 'application/x-www-form-urlencoded' },
        payload: '',
      }),
    /** Starts the consumer of customer events. Returns a function that stops it. */
    consumeCustomerEvents: () =>
      bus.consume('portal-customers', 'customer.deleted.v1', customerEvents(database.em, logger).receive),
    /** Publishes `customer.deleted` for the customer, or for its id in another project. */
    publishCustomerDeleted: async (projectId: ProjectId = scope.projectId) => {
      const now = new Date();
      const dates = { createdAt: now, deletedAt: now };
      const state = { id: customerId, projectId, email: 'ada@example.com', name: null, processorCustomerId };
      const id = crypto.randomUUID();
      const data = CustomerDeleted.data.encode({ ...state, ...dates, version: 2 });
      const envelope = { id, type: CustomerDeleted.name, teamId: scope.teamId, occurredAt: now, data };
      await bus.publish(CustomerDeleted.name, JSON.stringify(envelope), id, {});
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
