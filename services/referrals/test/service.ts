import { randomUUID } from 'node:crypto';
import type { CustomerState } from '@billing/contracts/events/customers';
import { envelope, type Envelope, type EventType } from '@billing/contracts/event';
import { CustomerId, ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { FindCustomer, HasSubscribed } from '@billing/contracts/rpc/calls';
import { serveRpc, openRpcClient } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { TOGETHER } from '@billing/messaging/inbox';
import { startRelay } from '@billing/messaging/relay';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import type { z } from 'zod';
import { createApp } from '../src/app.ts';
import { startCrediting } from '../src/crediting.ts';
import { createCode } from '../src/domain/code.ts';
import { knowCustomer } from '../src/operations/know-customer.ts';
import { settleCredit } from '../src/operations/settle-credit.ts';
import { openDatabase } from '../src/persistence/database.ts';
import { reactToCustomers } from '../src/reactions/customers.ts';
import { reactToSubscriptions } from '../src/reactions/subscriptions.ts';

interface ServiceOptions {
  /** Where credits go; without it none are worked off. */
  readonly processors?: TeamProcessors;
  /** Milliseconds between closing a credit's key and looking what became of it. */
  readonly quietMs?: number | undefined;
  /** Whether the subscriptions service answers; it does unless told. */
  readonly isSubscriptionsThere?: boolean;
}

/** Referrals in a database of its own, hearing a bus that no other test hears, with neighbours that answer from memory. */
export async function startService({ processors, quietMs = 100, isSubscriptionsThere = true }: ServiceOptions = {}) {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: 'silent' });
  const { url: databaseUrl } = resources.use(await createTestDatabase('referrals'));
  const database = resources.adopt(openDatabase(databaseUrl), it => it.close());
  await migrate(database);
  const { em } = database;
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const rpc = openRpcClient(bus);
  let now: Date | undefined;
  const clock = () => now ?? new Date();

  const customers = new Map<CustomerId, CustomerState>();
  const subscribers = new Set<CustomerId>();
  resources.defer(
    serveRpc({ ...bus, logger }, FindCustomer, async ({ projectId, customerId }) => {
      const state = customers.get(customerId);
      return state && state.projectId === projectId && !state.deletedAt ? state : null;
    }),
  );
  if (isSubscriptionsThere)
    resources.defer(
      serveRpc({ ...bus, logger }, HasSubscribed, async ({ customerId }) => ({
        subscribed: subscribers.has(customerId),
      })),
    );

  const said: Envelope[] = [];
  resources.defer(
    await bus.consume('test-listener', 'referral.>', async event => {
      said.push(event);
      return { kind: 'done' };
    }),
  );
  resources.defer(
    await bus.consume('test-listener-codes', 'referral-code.>', async event => {
      said.push(event);
      return { kind: 'done' };
    }),
  );
  const reactions = [reactToCustomers(em, clock, logger), reactToSubscriptions(em, clock, logger)] as const;
  resources.defer(await bus.consume('referrals-customers', 'customer.*.v1', reactions[0].receive));
  resources.defer(
    await bus.consume('referrals-subscriptions', 'subscription.created.v1', reactions[1].receive, TOGETHER),
  );
  resources.defer(startRelay(em, bus.publish, logger, { intervalMs: 50 }));

  const know = knowCustomer(em, rpc);
  const startWorkingOff = (through: TeamProcessors) => {
    const settle = settleCredit({ em, know, processors: through, clock, logger, delayMs: () => 100, quietMs });
    return startCrediting({ em, settle, logger, intervalMs: 50 });
  };
  if (processors) resources.defer(startWorkingOff(processors));

  const identity = testIdentity('referrals');
  const codes: string[] = [];
  const app = createApp({
    database,
    rpc,
    logger,
    clock,
    verifyIdentityToken: identity.verifyIdentityToken,
    newCode: () => codes.shift() ?? createCode(),
  });
  resources.adopt(app, it => it.close());

  return {
    app,
    em,
    bus,
    database,
    identity,
    logger,
    clock,
    customers,
    subscribers,
    said,
    startWorkingOff,
    /** The codes that are drawn next. */
    drawNext: (...next: string[]) => void codes.push(...next),
    setClock: (instant: Date | undefined) => void (now = instant),
    /** What the service has said of a kind, once there are at least `count`. */
    async heard<Data extends z.ZodType>(type: EventType<Data>, count: number): Promise<z.output<Data>[]> {
      const facts = () => said.filter(event => event.type === type.name);
      await waitFor(() => facts().length >= count, { what: `${count} × ${type.name}` });
      return facts().map(event => type.data.parse(event.data));
    },
    /** Puts facts on the bus, repeats included, and waits until all are reacted to. */
    async hear(...facts: readonly Envelope[]): Promise<void> {
      for (const fact of facts)
        // Another message id each time, or the broker would drop the repeats before the service sees them.
        await bus.publish(fact.type, JSON.stringify(envelope.encode(fact)), randomUUID(), {});
      const ids = [...new Set(facts.map(fact => fact.id))];
      await waitFor(
        async () => {
          const rows = await em
            .fork()
            .execute<unknown[]>('select event_id from processed_events where event_id in (?)', [ids]);
          return rows.length === ids.length;
        },
        { what: `${ids.length} facts to be reacted to`, timeoutMs: 10_000 },
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** A fact as its service records it. */
export function saidFact<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: TeamId,
  data: z.output<Data>,
  occurredAt = new Date(),
): Envelope {
  return { id: randomUUID(), type: type.name, teamId, occurredAt, data: type.data.encode(data) };
}

/** A project, and shorthand for what may be asked there with an API key. */
export function openProject(service: Service, teamId = TeamId.create()) {
  const scope: ProjectScope = { teamId, projectId: ProjectId.create() };
  const headers = service.identity.asKey(scope);
  const ask = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
    idempotencyKey?: string,
  ) => {
    const url = `/api/service/teams/${scope.teamId}/projects/${scope.projectId}/referrals${path}`;
    const keyed = { ...headers, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    const response = await service.app.inject({ method, url, headers: keyed, ...(payload && { payload }) });
    return { status: response.statusCode, body: response.json() };
  };
  return {
    ...scope,
    scope,
    ask,
    /** A customer that its owner knows; no fact has told of it. */
    newCustomer(changes: Partial<CustomerState> = {}): CustomerState {
      const state: CustomerState = {
        id: CustomerId.create(),
        projectId: scope.projectId,
        email: `${randomUUID()}@example.com`,
        name: null,
        processorCustomerId: `cus_${randomUUID()}`,
        version: 1,
        createdAt: new Date(),
        deletedAt: null,
        ...changes,
      };
      service.customers.set(state.id, state);
      return state;
    },
    configure: (config: object = {}) =>
      ask('PUT', '/config', { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300, ...config }),
    /** A code of a new customer's. */
    async newCode(): Promise<{ code: string; customerId: CustomerId }> {
      const { id: customerId } = this.newCustomer();
      const { body } = await ask('POST', '/codes', { customerId });
      return { code: body.code.code, customerId };
    },
    apply: (code: string, refereeCustomerId: CustomerId) => ask('POST', '/apply', { code, refereeCustomerId }),
  };
}
