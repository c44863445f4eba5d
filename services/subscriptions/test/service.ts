import { randomBytes, randomUUID } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { Envelope, EventType } from '@billing/contracts/event';
import { CustomerId, PriceId, ProductId, ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import {
  FindCustomer,
  FindCustomersByProcessorId,
  FindPrice,
  FindProcessorCredentials,
} from '@billing/contracts/rpc/calls';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { serveRpc, openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { startRelay } from '@billing/messaging/relay';
import { seal } from '@billing/processor/credentials';
import { listEveryEvent } from '@billing/processor/every-event';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../src/app.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { answerQuestions } from '../src/questions/answers.ts';
import { consumersOf, startConsumers } from '../src/reactions/consumers.ts';
import { toProjectEvent } from '@billing/testing/processor-events';

export interface PriceOptions {
  readonly recurring?: boolean;
  readonly unitAmount?: number;
}

/**
 * The service in this process, with a database, a bus and an account at the local processor that no other test sees.
 * Its neighbours are catalog and customers, as far as the contracts of their questions go.
 */
export async function startService() {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const scope: ProjectScope = { teamId: TeamId.create(), projectId: ProjectId.create() };

  const testDatabase = resources.use(await createTestDatabase('subscriptions'));
  const database = resources.adopt(openDatabase(testDatabase.url), it => it.close());
  await migrate(database);
  const { em } = database;
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const rpc = openRpcClient(bus);

  const stripe = resources.adopt(await startLocalProcessor(), it => it.close());
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const processor = stripeProcessor(secretKey, stripe.url);
  const credentialsKey = randomBytes(32);

  const customers = new Map<string, CustomerState>();
  const prices = new Map<string, { price: PriceState; product: ProductState }>();
  const disconnected = new Set<TeamId>();
  const answering = { ...bus, logger };
  const stops = {
    credentials: serveRpc(answering, FindProcessorCredentials, async ({ teamId }) => {
      const sealedSecretKey = seal(credentialsKey, { teamId, kind: 'secret-key' }, secretKey);
      return disconnected.has(teamId) ? null : { version: 1, livemode: false, sealedSecretKey };
    }),
    customer: serveRpc(answering, FindCustomer, async ({ projectId, customerId }) => {
      const found = customers.get(customerId);
      return found?.projectId === projectId && !found.deletedAt ? found : null;
    }),
    customersByProcessorId: serveRpc(answering, FindCustomersByProcessorId, async ({ processorCustomerId }) =>
      [...customers.values()].filter(it => it.processorCustomerId === processorCustomerId),
    ),
    price: serveRpc(answering, FindPrice, async ({ projectId, priceId }) => {
      const found = prices.get(priceId);
      return found?.price.projectId === projectId && !found.price.deletedAt ? found : null;
    }),
  };
  const silence = async (...names: (keyof typeof stops)[]) => {
    for (const name of names) {
      await stops[name]();
      stops[name] = async () => undefined;
    }
  };
  resources.defer(() => silence('credentials', 'customer', 'customersByProcessorId', 'price'));
  await nats.flush();

  const processors = resources.adopt(openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl: stripe.url }), it =>
    it.close(),
  );
  const dependencies = { em, rpc, processors, logger };
  const consumers = consumersOf(dependencies);
  const identity = testIdentity('subscriptions');
  const app = resources.adopt(createApp({ ...dependencies, verifyIdentityToken: identity.verifyIdentityToken }), it =>
    it.close(),
  );

  const call = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, of = scope, headers = {} }: { body?: object; of?: ProjectScope; headers?: Record<string, string> } = {},
  ) => {
    const url = `/api/service/teams/${of.teamId}/projects/${of.projectId}${path}`;
    const request: InjectOptions = { method, url, headers: { ...identity.asKey(of), ...headers } };
    if (body) request.payload = body;
    const response = await app.inject(request);
    return { status: response.statusCode, body: response.json(), headers: response.headers, text: response.body };
  };

  /** Has a fact handled as the consumer that reads it on the bus would; delivered again while it asks for that. */
  const receive = async (event: Envelope): Promise<void> => {
    const consumer = consumers.find(it => matches(it.filter, event.type));
    if (!consumer) throw new Error(`Nobody reads ${event.type}.`);
    for (let delivery = 1; delivery <= 8; delivery += 1) {
      if ((await consumer.receive(event, delivery)).kind === 'done') return;
    }
    throw new Error(`${event.type} was not settled.`);
  };

  const tell = <Data extends z.ZodType>(type: EventType<Data>, data: z.output<Data>, of = scope): Envelope => ({
    id: randomUUID(),
    type: type.name,
    teamId: of.teamId,
    occurredAt: new Date(),
    data: type.data.encode(data),
  });

  /** A customer at the processor, of which the customers service knows. */
  const createCustomer = async (of = scope, processorCustomerId?: string): Promise<CustomerState> => {
    const id = CustomerId.create();
    const email = `${id}@example.com`;
    const metadata = { teamId: of.teamId, projectId: of.projectId, customerId: id };
    const created = processorCustomerId ?? (await processor.createCustomer({ email, metadata }, id)).id;
    const state = { version: 1, createdAt: new Date(), deletedAt: null };
    const customer = { id, projectId: of.projectId, email, name: null, processorCustomerId: created, ...state };
    customers.set(id, customer);
    return customer;
  };

  /** A price at the processor and its product, of which the catalog knows. */
  const createPrice = async ({ recurring = true, unitAmount = 2_999 }: PriceOptions = {}, of = scope) => {
    const ids = { product: ProductId.create(), price: PriceId.create() };
    const { projectId } = of;
    const mirrored = await processor.createProduct({ name: 'Pro', metadata: {} }, ids.product);
    const cadence = { interval: 'month', intervalCount: 1 } as const;
    const sold = await processor.createPrice(
      { productId: mirrored.id, unitAmount, currency: 'usd', recurring: recurring ? cadence : null, metadata: {} },
      ids.price,
    );
    const state = { projectId, isActive: true, version: 1, createdAt: new Date(), deletedAt: null };
    const product: ProductState = { ...state, id: ids.product, name: 'Pro', processorProductId: mirrored.id };
    const price: PriceState = {
      ...state,
      id: ids.price,
      productId: ids.product,
      unitAmount,
      currency: 'usd',
      type: recurring ? 'recurring' : 'one_time',
      interval: recurring ? 'month' : null,
      intervalCount: recurring ? 1 : null,
      processorPriceId: sold.id,
    };
    prices.set(ids.price, { price, product });
    return { price, product };
  };

  return {
    app,
    bus,
    rpc,
    call,
    consumers,
    createCustomer,
    createPrice,
    customers,
    database,
    dependencies,
    disconnected,
    em,
    identity,
    prices,
    processor,
    receive,
    scope,
    silence,
    stripe,
    tell,
    control: new LocalProcessorControl(stripe.url, secretKey),
    /** Reads and writes the bus, as the process does. */
    run: async () => {
      resources.defer(startRelay(em, bus.publish, logger));
      resources.defer(await startConsumers(bus, dependencies));
      resources.defer(answerQuestions(bus, dependencies));
      await nats.flush();
    },
    /** Every event of the processor so far, oldest first, as the bus carries them to a project. */
    processorEvents: async (of = scope): Promise<Envelope[]> => {
      const found: Envelope[] = [];
      for (const raw of (await listEveryEvent(processor)).toReversed()) {
        const event = toProjectEvent(raw, of);
        if (event) found.push(event);
      }
      return found;
    },
    /** What the service has said, in order, by its outbox. */
    said: async (...types: { name: string }[]): Promise<{ type: string; data: Record<string, unknown> }[]> => {
      const rows = await em
        .fork()
        .execute<{ type: string; data: Record<string, unknown> }[]>(
          'select type, data from outbox_events order by sequence',
        );
      return rows.filter(row => types.length === 0 || types.some(type => type.name === row.type));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Whether a subject falls under a filter of the bus. */
function matches(filter: string, type: string): boolean {
  const pattern = filter.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+');
  return new RegExp(`^${pattern}$`).test(type);
}
