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
import { customerEvents } from '../src/consumers/customer-events.ts';
import { subscriptionEvents } from '../src/consumers/subscription-events.ts';
import { generateCode } from '../src/domain/code.ts';
import { startSendingCredits } from '../src/jobs/send-credits.ts';
import { resolveCustomer } from '../src/operations/resolve-customer.ts';
import { sendCredit } from '../src/operations/send-credit.ts';
import { openDatabase } from '../src/persistence/database.ts';

interface ServiceOptions {
  /** Where credits are sent; without it none are. */
  readonly processors?: TeamProcessors;
  /** Milliseconds between closing a credit's key and looking it up. */
  readonly verifyAfterMs?: number | undefined;
  /** Whether the subscriptions service replies; by default it does. */
  readonly isSubscriptionsUp?: boolean;
}

/** Starts referrals with its own database and bus, and with customers and subscriptions that reply from memory. */
export async function startService({ processors, verifyAfterMs = 100, isSubscriptionsUp = true }: ServiceOptions = {}) {
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
  let fixedTime: Date | undefined;
  const now = () => fixedTime ?? new Date();

  const customers = new Map<CustomerId, CustomerState>();
  const subscribers = new Set<CustomerId>();
  resources.defer(
    serveRpc({ ...bus, logger }, FindCustomer, async ({ projectId, customerId }) => {
      const state = customers.get(customerId);
      return state && state.projectId === projectId && !state.deletedAt ? state : null;
    }),
  );
  if (isSubscriptionsUp)
    resources.defer(
      serveRpc({ ...bus, logger }, HasSubscribed, async ({ customerId }) => ({
        subscribed: subscribers.has(customerId),
      })),
    );

  const onBus: Envelope[] = [];
  for (const [consumer, filter] of [
    ['test-referrals', 'referral.>'],
    ['test-codes', 'referral-code.>'],
  ] as const)
    resources.defer(
      await bus.consume(consumer, filter, async event => {
        onBus.push(event);
        return { kind: 'done' };
      }),
    );
  const { receive: receiveCustomers } = customerEvents({ em, now, logger });
  const { receive: receiveSubscriptions } = subscriptionEvents({ em, now, logger });
  resources.defer(await bus.consume('referrals-customers', 'customer.*.v1', receiveCustomers));
  resources.defer(
    await bus.consume('referrals-subscriptions', 'subscription.created.v1', receiveSubscriptions, TOGETHER),
  );
  resources.defer(startRelay(em, bus.publish, logger, { intervalMs: 50 }));

  const resolve = resolveCustomer({ em, rpc });
  const sendCreditsTo = (target: TeamProcessors) => {
    const send = sendCredit({ em, resolve, processors: target, now, logger, delayMs: () => 100, verifyAfterMs });
    return startSendingCredits({ em, send, logger, intervalMs: 50 });
  };
  if (processors) resources.defer(sendCreditsTo(processors));

  const identity = testIdentity('referrals');
  const codes: string[] = [];
  const app = createApp({
    em,
    rpc,
    logger,
    now,
    verifyIdentityToken: identity.verifyIdentityToken,
    newCode: () => codes.shift() ?? generateCode(),
  });
  resources.adopt(app, it => it.close());

  return {
    app,
    em,
    bus,
    database,
    identity,
    logger,
    now,
    customers,
    subscribers,
    sendCreditsTo,
    /** Sets the codes that are generated next. */
    generateNext: (...next: string[]) => void codes.push(...next),
    setTime: (instant: Date | undefined) => void (fixedTime = instant),
    /** Waits until a matching event is on the bus, and returns every matching event of the outbox. */
    async published<Data extends z.ZodType>(
      type: EventType<Data>,
      isWanted: (data: z.output<Data>) => boolean,
    ): Promise<z.output<Data>[]> {
      await waitFor(() => onBus.some(event => event.type === type.name && isWanted(type.data.parse(event.data))), {
        what: type.name,
      });
      const rows = await em
        .fork()
        .execute<{ data: unknown }[]>('select data from outbox_events where type = ?', [type.name]);
      return rows.map(({ data }) => type.data.parse(data)).filter(isWanted);
    },
    /** Publishes events, duplicates included, and waits until all are handled. */
    async deliver(...events: readonly Envelope[]): Promise<void> {
      for (const event of events)
        // A new message id each time, or the broker would drop the duplicates before the service sees them.
        await bus.publish(event.type, JSON.stringify(envelope.encode(event)), randomUUID(), {});
      const ids = [...new Set(events.map(event => event.id))];
      await waitFor(
        async () => {
          const rows = await em
            .fork()
            .execute<unknown[]>('select event_id from processed_events where event_id in (?)', [ids]);
          return rows.length === ids.length;
        },
        { what: `${ids.length} events to be handled`, timeoutMs: 10_000 },
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Returns an event as its service publishes it. */
export function eventOf<Data extends z.ZodType>(
  type: EventType<Data>,
  teamId: TeamId,
  data: z.output<Data>,
  occurredAt = new Date(),
): Envelope {
  return { id: randomUUID(), type: type.name, teamId, occurredAt, data: type.data.encode(data) };
}

/** Returns a new project, and shorthand for requests to it with an API key. */
export function openProject(service: Service, teamId = TeamId.create()) {
  const scope: ProjectScope = { teamId, projectId: ProjectId.create() };
  const headers = service.identity.asKey(scope);
  const request = async (
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
    request,
    /** Creates a customer in the customers service; no event of it is published. */
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
      request('PUT', '/config', { enabled: true, referrerCreditAmount: 500, refereeCreditAmount: 300, ...config }),
    /** Creates a code for a new customer. */
    async newCode(): Promise<{ code: string; customerId: CustomerId }> {
      const { id: customerId } = this.newCustomer();
      const { body } = await request('POST', '/codes', { customerId });
      return { code: body.code.code, customerId };
    },
    apply: (code: string, refereeCustomerId: CustomerId) => request('POST', '/apply', { code, refereeCustomerId }),
  };
}
