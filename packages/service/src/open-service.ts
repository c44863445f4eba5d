import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { openCommittedEvents } from '@billing/messaging/committed-events';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { consume, receiverOf } from '@billing/messaging/consumer/consume';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import { startDeadLetterRetries, type ReceivingConsumer } from '@billing/messaging/consumer/retry-dead-letters';
import { openStoredObjects } from '@billing/messaging/consumer/stored-objects';
import { openOutbox } from '@billing/messaging/outbox';
import { deleteProcessed } from '@billing/messaging/processed-events';
import { deletePublished, startRelay } from '@billing/messaging/relay';
import { openRpcClient } from '@billing/messaging/rpc';
import type { TeamProcessors, TeamProcessorsOptions } from '@billing/processor/team-processors';
import { busAccessOf } from '@billing/contracts/bus-access';
import { checkBusAccess } from './check-bus-access.ts';
import { startCleaning } from './cleaning.ts';
import { deadLetterHandlers } from './dead-letters.ts';
import { migrate, ping, watchConnections } from '@billing/database/database';
import { deleteExpiredIdempotentRequests } from './idempotency.ts';
import { identityTokenVerifier, type VerifyIdentityToken } from './identity-token.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions } from './http.ts';
import type { ServiceName } from '@billing/contracts/operation';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type {
  Chassis,
  ChassisEnv,
  Job,
  ListenAddress,
  Parts,
  RunningServer,
  ServiceDefinition,
  Stop,
} from './definition.ts';
import { consumerGauges, databaseGauges, registerGauges } from './gauges.ts';
import { useHttpsProxy } from './https-proxy.ts';
import { checkPurge, purgeConsumer } from './purge.ts';
import { openRequestPlaces, placeGauges, READ_POOL } from './request-places.ts';
import { openServiceDatabase } from './service-database.ts';
import { openTeamReads } from './team-reads.ts';

/** How often to look for dead letters that another copy, or a command, has chosen to be retried. */
const RETRY_INTERVAL_MS = 2_000;

interface OpenOptions<Env> {
  readonly env: Env;
  readonly logger: Logger;
  /** Closes everything in reverse order of opening. */
  readonly resources: AsyncDisposableStack;
  /** First token of the bus's subjects; tests use one of their own. */
  readonly root?: string;
  readonly now?: () => Date;
  /** How often the relay and the back-pressure watch query the outbox, in milliseconds. */
  readonly outboxIntervalMs?: number;
  /** Whether the process was asked to end. */
  readonly isClosing?: () => boolean;
  /** By default, that of the gateway's key in the environment; tests take a token that is made for any request. */
  readonly verifyIdentityToken?: VerifyIdentityToken;
}

type Receiving = ReceivingConsumer & { readonly consumer: Consumer };

/** A service whose parts are built. Nothing runs until `start` and `listen`. */
export interface OpenService<Env extends ChassisEnv, P extends Parts> {
  readonly chassis: Chassis<Env>;
  readonly parts: P;
  /** The Fastify app, unless the service brings its own server. */
  readonly app: HttpServer | undefined;
  /** Of the parts, and the one that purges a team's records; each with the chain that its deliveries take. */
  readonly consumers: readonly Receiving[];
  /** Starts the relay, cleaning, jobs, RPC and consumers, in this order. */
  start(): Promise<void>;
  /** Starts the HTTP server; returns its port. */
  listen(): Promise<number>;
}

/**
 * Opens a service. `resources` closes it in one order for all services: HTTP, consumers, RPC, jobs, cleaning, relay, the
 * service's own resources, processors, back-pressure watch, bus, database. So whatever takes work in stops before what
 * the work needs.
 * @throws StartError when PostgreSQL or NATS cannot be reached
 */
export async function openService<Schema extends z.ZodType<ChassisEnv>, P extends Parts>(
  definition: ServiceDefinition<Schema, P>,
  options: OpenOptions<z.output<Schema>>,
): Promise<OpenService<z.output<Schema>, P>> {
  const { name } = definition;
  const {
    env,
    logger,
    resources,
    root,
    now = () => new Date(),
    outboxIntervalMs = 1_000,
    isClosing = () => false,
  } = options;
  const database = resources.adopt(openServiceDatabase(name, definition.database, env.DATABASE_URL, logger), it =>
    it.close(),
  );
  await migrate(database);
  const { em } = database;
  const readDatabase = resources.adopt(
    openServiceDatabase(name, { ...definition.database, ...READ_POOL }, env.DATABASE_URL, logger),
    it => it.close(),
  );
  await watchConnections(readDatabase);
  const { em: readEm } = readDatabase;

  await definition.database.prepare?.(em, { now: now() });

  const access = definition.access ?? busAccessOf(name);
  const broker = resources.adopt(await connectBroker({ url: env.NATS_URL, service: name, logger }), closeBroker);
  const { nats } = broker;
  const bus = await openBus({ ...broker, logger, root, follows: access.follows });
  const rpc = openRpcClient({ ...bus, declared: access.calls, logger });
  const committed = openCommittedEvents();
  const backPressure = resources.adopt(
    watchBackPressure(em, {
      highWater: env.OUTBOX_HIGH_WATER,
      tables: definition.database.backlog ?? [],
      intervalMs: outboxIntervalMs,
      logger,
    }),
    it => it.close(),
  );
  const places = openRequestPlaces();
  const { SERVICE_KEY: serviceKey, STRIPE_API_BASE_URL: baseUrl } = env;
  if (serviceKey) useHttpsProxy(env);
  const called =
    serviceKey && (await openProcessors({ follow: bus.follow, rpc, service: name, serviceKey, baseUrl, logger }));
  const processors = called ? resources.adopt(called.processors, it => it.close()) : withoutProcessors(name);

  const chassis: Chassis<z.output<Schema>> = {
    env,
    database,
    em,
    readEm,
    reads: openTeamReads(readEm, places.polls),
    places,
    outbox: openOutbox(em, { committed, declared: access.publishes }),
    bus,
    rpc,
    processors,
    isOverloaded: backPressure.isOverloaded,
    isTeamOverloaded: backPressure.isTeamOverloaded,
    health: { checks: { database: () => ping(database) }, degradedWithout: { broker: bus.ping }, isClosing },
    logger,
    now,
    resources,
  };
  const parts = await definition.parts(chassis);
  const app = createApp(name, chassis, parts, options.verifyIdentityToken);
  if (app) resources.adopt(app, closeHttp);

  const { purge } = parts;
  if (purge) await checkPurge(name, em, purge);
  const consumers = [...(parts.consumers ?? []), ...(purge ? [purgeConsumer({ service: name, purge, em, now })] : [])];
  let retrySoon = (): void => undefined;
  const deadLetters = deadLetterHandlers({ service: name, outbox: chassis.outbox, onRetry: () => retrySoon() });
  const handlers = [...(parts.rpc ?? []), ...deadLetters];
  checkBusAccess(name, access, { consumers, rpc: handlers });
  const withStoredObject = openStoredObjects(rpc);
  const receiving = consumers.map(consumer => ({
    consumer,
    receive: receiverOf(consumer, { outbox: chassis.outbox, logger, readAgain: called?.readAgain, withStoredObject }),
  }));
  return {
    chassis,
    parts,
    app,
    consumers: receiving,
    async start() {
      const relay = startRelay({ em, publish: bus.publish, committed, intervalMs: outboxIntervalMs, logger });
      resources.defer(relay.stop);
      const expired = [
        () => deleteProcessed(em, now()),
        () => deletePublished(em),
        () => deleteExpiredIdempotentRequests(em),
      ];
      resources.defer(startCleaning(logger, ...expired, ...(parts.cleaning ?? [])));

      const names = consumers.map(consumer => consumer.name);
      const stopObserving = registerGauges(
        [
          ...databaseGauges(em, { consumers: names, backlog: definition.database.backlog }),
          ...consumerGauges(names, bus.lagOf),
          ...placeGauges(places),
          ...(parts.gauges ?? []),
        ],
        logger,
      );
      resources.defer(stopObserving);

      const jobs = stopTogether(resources);
      for (const job of parts.jobs ?? []) jobs.push(await startJob(job));
      const served = stopTogether(resources);
      for (const handler of handlers) served.push(handler.serve({ nats, root: bus.root, logger }));
      const consuming = stopTogether(resources);
      for (const { consumer, receive } of receiving) consuming.push(await consume(bus, consumer, receive));
      const retries = startDeadLetterRetries({ em, consumers: receiving, intervalMs: RETRY_INTERVAL_MS, logger });
      retrySoon = retries.wake;
      consuming.push(retries.stop);
      await nats.flush();
    },
    async listen() {
      const address = { host: env.HOST, port: env.PORT };
      const server = await (parts.listen ? parts.listen(address) : listenWith(app, address));
      resources.defer(() => server.close());
      return server.port;
    },
  };
}

const withoutProcessors = (name: ServiceName): TeamProcessors => ({
  of: async () => {
    throw new Error(`The environment of ${name} has no SERVICE_KEY.`);
  },
});

/** Loads Stripe's library, a sixth of all modules, in those services alone that call Stripe. */
async function openProcessors(options: TeamProcessorsOptions) {
  const [{ openTeamProcessors }, { readObjectAgain }] = await Promise.all([
    import('@billing/processor/team-processors'),
    import('@billing/processor/event-object'),
  ]);
  const processors = openTeamProcessors(options);
  return { processors, readAgain: readObjectAgain(processors) };
}

function createApp(
  name: ServiceName,
  chassis: Chassis,
  parts: Parts,
  verify?: VerifyIdentityToken,
): HttpServer | undefined {
  if (parts.listen) return undefined;
  const { env, em: idempotency, readEm, places, logger, health, isOverloaded, isTeamOverloaded } = chassis;
  if (!env.IDENTITY_PUBLIC_KEY) throw new Error(`The environment of ${name} has no IDENTITY_PUBLIC_KEY.`);
  const verifyIdentityToken = verify ?? identityTokenVerifier(env.IDENTITY_PUBLIC_KEY, name);
  const pressure = { isOverloaded, isTeamOverloaded, places };
  const options: HttpServerOptions = { ...health, logger, verifyIdentityToken, idempotency, readEm, ...pressure };
  if (parts.createApp) return parts.createApp(options);
  const app = createHttpServer(options);
  for (const register of parts.routes) app.register(async scope => register(scope));
  return app;
}

async function listenWith(app: HttpServer | undefined, address: ListenAddress): Promise<RunningServer> {
  if (!app) throw new Error('The service has neither routes nor a server of its own.');
  await app.listen(address);
  const { port } = app.server.address() as AddressInfo; // a server on a TCP port has this kind of address
  return { port, close: () => closeHttp(app) };
}

/** How long requests in flight may take once the server closes, in milliseconds; then they are cut off. */
const CLOSE_HTTP_MS = 5_000;

/** Closes a server by `close` after its requests in flight, within five seconds. */
export async function closeInTime(server: Server, close: () => PromiseLike<unknown>): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_HTTP_MS);
  try {
    await close();
  } finally {
    clearTimeout(timer);
  }
}

const closeHttp = (app: HttpServer): Promise<void> => closeInTime(app.server, () => app.close());

/** Stops all that is added, at the same time, when `resources` closes. */
function stopTogether(resources: AsyncDisposableStack): Stop[] {
  const stops: Stop[] = [];
  resources.defer(async () => {
    const outcomes = await Promise.allSettled(stops.map(async stop => stop()));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  });
  return stops;
}

async function startJob(job: Job): Promise<Stop> {
  if (typeof job === 'function') {
    const started = await job();
    return typeof started === 'function' ? started : started.stop;
  }
  await job.start();
  return job.stop;
}
