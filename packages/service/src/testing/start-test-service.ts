import { AuditRecorded } from '@billing/contracts/events/audit';
import { publicEventsOf, publicPart, type PublicEventContent } from '@billing/contracts/events/public-data';
import { CustomerStateChanged } from '@billing/contracts/events/customer-state';
import { InvoiceSaved, PaymentSaved } from '@billing/contracts/events/money';
import { isRecord } from '@billing/contracts/events/record-event';
import { ReferralCreditSaved } from '@billing/contracts/events/referrals';
import type { Envelope, EventType } from '@billing/contracts/event';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import type { Rpc } from '@billing/contracts/rpc';
import { createStream, toDelivery } from '@billing/messaging/bus';
import { parseEnv } from '../env.ts';
import { createTestDatabase, type TestDatabase } from '@billing/testing/database';
import { testIdentity } from './identity.ts';
import { openRpcClient, type RpcClient } from '@billing/messaging/rpc';
import { messageWith } from '@billing/testing/events';
import { connectTestNats, testBusRoot, testNatsUrl } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { pino, type Logger } from 'pino';
import type { InjectOptions } from 'fastify';
import type { z } from 'zod';
import { rpcHandler, type ChassisEnv, type Parts, type RpcHandler, type ServiceDefinition } from '../definition.ts';
import { openService } from '../open-service.ts';
import { wholeSchema } from '../service-database.ts';
import type { TestAccount } from './test-account.ts';

/** What copies of a service share. */
interface Surroundings {
  readonly testDatabase: TestDatabase;
  readonly root: string;
  readonly identity: ReturnType<typeof testIdentity>;
  readonly account: TestAccount | undefined;
}

export interface TestServiceOptions {
  /** The service's own environment variables, as text. */
  readonly env?: Readonly<Record<string, string>>;
  /** The teams' account at the local processor; disposed of with the service. */
  readonly account?: TestAccount;
  /** The project that requests use by default. */
  readonly scope?: ProjectScope;
  /** Starts one more copy of a running service, on its database and bus. */
  readonly besides?: Surroundings;
  /** Unpublished events above which writes are paused. */
  readonly outboxHighWater?: number;
  /** Returns the URL to use instead of the database's own, for example that of a link. */
  readonly linkDatabase?: (url: string) => string | Promise<string>;
  readonly now?: () => Date;
  readonly logger?: Logger;
}

interface CallOptions {
  readonly body?: object | string;
  /** The project in the path; the service's `scope` by default. */
  readonly of?: ProjectScope;
  /** Identity headers of the caller; an API key of the project with every scope by default. */
  readonly as?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An event that the service has published, with parsed data if types were given. */
interface PublishedEvent<Data> {
  readonly id: string;
  readonly type: string;
  readonly teamId: string;
  readonly data: Data;
}

/** Serves a call in place of its owner; returns a function that stops serving it. */
export type Serve = <Request extends z.ZodType, Reply extends z.ZodType>(
  rpc: Rpc<Request, Reply>,
  handle: (request: z.output<Request>) => Promise<z.output<Reply>>,
) => Promise<() => Promise<void>>;

/** More than the attempts after which a consumer dead-letters an event. */
const MAX_DELIVERIES = 12;
/** How long a test waits for a reply: a busy machine is slow. */
const PATIENT_MS = 60_000;

/**
 * Starts a service in this process with the same parts as in production, a database and a bus of its own, and the test as
 * its gateway and its neighbours. HTTP works at once; `run` starts consumers, RPC, jobs and the relay.
 */
export async function startTestService<Schema extends z.ZodType<ChassisEnv>, P extends Parts>(
  definition: ServiceDefinition<Schema, P>,
  options: TestServiceOptions = {},
) {
  const resources = new AsyncDisposableStack();
  try {
    return await startWith(definition, options, resources);
  } catch (err) {
    await resources.disposeAsync();
    throw err;
  }
}

async function startWith<Schema extends z.ZodType<ChassisEnv>, P extends Parts>(
  definition: ServiceDefinition<Schema, P>,
  options: TestServiceOptions,
  resources: AsyncDisposableStack,
) {
  const { name } = definition;
  const { besides, scope = { teamId: TeamId.create(), projectId: ProjectId.create() } } = options;
  const account = besides ? besides.account : options.account && resources.use(options.account);
  const logger = options.logger ?? pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const identity = besides?.identity ?? testIdentity(name);
  const root = besides?.root ?? testBusRoot();
  const testDatabase =
    besides?.testDatabase ?? resources.use(await createTestDatabase(name, wholeSchema(definition.database)));
  const env = parseEnv(definition.env, {
    PORT: '0',
    DATABASE_URL: (await options.linkDatabase?.(testDatabase.url)) ?? testDatabase.url,
    NATS_URL: testNatsUrl(),
    IDENTITY_PUBLIC_KEY: Buffer.from(identity.publicKey).toString('base64'),
    ...(options.outboxHighWater !== undefined && { OUTBOX_HIGH_WATER: String(options.outboxHighWater) }),
    ...(account && {
      STRIPE_API_BASE_URL: account.url,
      SERVICE_KEY: account.serviceKey.toString('base64'),
    }),
    ...options.env,
  });
  if (!besides) await createTestStream(root);
  const service = await openService(definition, {
    env,
    logger,
    resources,
    root,
    outboxIntervalMs: 50,
    verifyIdentityToken: identity.verifyIdentityToken,
    ...(options.now && { now: options.now }),
  });
  const { chassis, parts, app, consumers } = service;
  const { em, bus } = chassis;
  if (!besides) resources.defer(bus.remove);

  const serveHandler = async (handler: RpcHandler): Promise<() => Promise<void>> => {
    const stop = handler.serve({ nats: bus.nats, root, logger });
    let stopped: Promise<void> | undefined;
    const stopOnce = () => (stopped ??= stop());
    resources.defer(stopOnce);
    await bus.nats.flush();
    return stopOnce;
  };
  const serve: Serve = (rpc, handle) => serveHandler(rpcHandler(rpc, handle));
  const readersOf = ({ type }: Envelope) => {
    const readers = consumers.filter(({ consumer }) => matches(consumer.filter, type) && consumer.handlerOf(type));
    if (readers.length === 0) throw new Error(`No consumer of ${name} handles ${type}.`);
    return readers;
  };
  const handlersOf = (event: Envelope) => readersOf(event).filter(({ consumer }) => consumer.handles(event)).length;
  const deliverOne = async (event: Envelope): Promise<void> => {
    await Promise.all(
      readersOf(event).map(async ({ consumer, receive }) => {
        for (let attempt = 1; attempt <= MAX_DELIVERIES; attempt += 1)
          if ((await receive(toDelivery(event, attempt))).kind === 'ack') return;
        throw new Error(`${consumer.name} did not acknowledge ${event.type} in ${MAX_DELIVERIES} deliveries.`);
      }),
    );
  };

  const readOutbox = () =>
    em.fork().execute<PublishedEvent<unknown>[]>(
      `select event ->> 'id' as id, type, team_id as "teamId", event -> 'data' as data
         from outbox_messages, json_array_elements(body::json) with ordinality as carried (event, place)
        order by sequence, place`,
    );
  const published = async <Data extends z.ZodType = z.ZodType<Readonly<Record<string, unknown>>>>(
    ...types: readonly EventType<Data>[]
  ): Promise<PublishedEvent<z.output<Data>>[]> => {
    const schemas = new Map(types.map(type => [type.name, type.data]));
    return (await readOutbox())
      .filter(({ type }) => (types.length === 0 ? !NOT_OF_SERVICES.has(type) : schemas.has(type)))
      .map(row => ({ ...row, data: (schemas.get(row.type)?.parse(row.data) ?? row.data) as z.output<Data> })); // without types, the data is any object
  };

  // The webhooks service serves the credentials of its own teams.
  const stopCredentials =
    account && !besides && name !== 'webhooks' ? await serveHandler(account.credentials) : async () => undefined;
  return {
    ...chassis,
    /** Makes any call, in the place of the services that make it. */
    rpc: patient(openRpcClient(bus)),
    parts,
    app,
    scope,
    identity,
    root,
    testDatabase,
    account,
    /** Stops serving the account's credentials, as if the webhooks service were down. */
    stopCredentials,
    /** Starts the relay, jobs, RPC and consumers. */
    run: () => service.start(),
    /** Starts the HTTP server on a free port; returns its URL. */
    listen: async () => `http://${env.HOST}:${await service.listen()}`,
    /** Serves a call in place of the service that owns it, until the returned function stops it. */
    serve,
    /**
     * Sends a request. A path that does not start with `/api/`, `/portal/` or `/health/` is one of the project. `body` of
     * the response is parsed JSON, or undefined.
     */
    async call(method: Method, path: string, { body, of = scope, as, headers = {} }: CallOptions = {}) {
      if (!app) throw new Error(`${name} has no Fastify app.`);
      const isWhole = /^\/(api|portal|health)\//.test(path);
      const url = isWhole ? path : `/api/service/teams/${of.teamId}/projects/${of.projectId}${path}`;
      const request: InjectOptions = { method, url, headers: { ...(as ?? identity.asKey(of)), ...headers } };
      if (body !== undefined) request.payload = body;
      const response = await app.inject(request);
      const isJson = String(response.headers['content-type']).startsWith('application/json') && response.body !== '';
      return {
        status: response.statusCode,
        headers: response.headers,
        text: response.body,
        body: isJson ? response.json() : undefined,
      };
    },
    /**
     * Hands events to the consumers that read them, as the bus would, redelivering at once what is not acknowledged.
     * Events of one call arrive at the same time, so they share a batch. Resolves when all are acknowledged.
     */
    deliver: async (...events: readonly Envelope[]): Promise<void> => {
      await Promise.all(events.map(deliverOne));
    },
    /** Puts events on the bus, repeats included, and waits until the running consumers have processed them. */
    async emit(...events: readonly Envelope[]): Promise<void> {
      for (const event of events) await bus.publish(messageWith(event));
      // Of an event that several consumers handle, each has its mark.
      const handled = events.map(event => [event.id, handlersOf(event)] as const).filter(([, count]) => count > 0);
      const wanted = new Map(handled);
      if (wanted.size === 0) return;
      const isProcessed = async () => {
        const rows = await em
          .fork()
          .execute<{ id: string; count: number }[]>(
            'select event_id as id, count(*)::int as count from processed_events where event_id = any(?) group by 1',
            [[...wanted.keys()]],
          );
        return rows.length === wanted.size && rows.every(({ id, count }) => count >= (wanted.get(id) ?? 1));
      };
      await waitFor(isProcessed, { what: `${wanted.size} events to be processed`, timeoutMs: 60_000 });
    },
    /** Returns the events that the service has published, in order, from its outbox: of `types`, or all that other services act on. */
    published,
    /** Returns the events for tenants that those are, with data as JSON. */
    async publicEvents(): Promise<PublicEventContent[]> {
      const events = (await readOutbox()).filter(({ type }) => isRecord(type));
      return events.flatMap(({ data }) => publicEventsOf(publicPart.parse(data)));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What no service acts on but those that keep the audit log and record events for tenants. */
const NOT_OF_SERVICES: ReadonlySet<string> = new Set(
  [AuditRecorded, InvoiceSaved, PaymentSaved, CustomerStateChanged, ReferralCreditSaved].map(({ name }) => name),
);

async function createTestStream(root: string): Promise<void> {
  const nats = await connectTestNats();
  await createStream(nats, root).finally(() => nats.close());
}

/** Returns whether a subject matches a filter of the bus. */
function matches(filter: string, subject: string): boolean {
  const pattern = filter.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+');
  return new RegExp(`^${pattern}$`).test(subject);
}

const patient = (client: RpcClient): RpcClient => ({
  call: (rpc, request, timeoutMs = PATIENT_MS) => client.call(rpc, request, timeoutMs),
});
