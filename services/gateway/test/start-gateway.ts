import { FindProject } from '@billing/contracts/rpc/calls';
import { allOperations } from '@billing/contracts/operations/index';
import { serveRpc } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { startRelay } from '@billing/messaging/relay';
import { migrate, ping } from '@billing/service/database';
import { createTestDatabase, type TestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import { openApiKeyCache } from '#auth/api-key-cache.ts';
import { identityTokens } from '#auth/identity-tokens.ts';
import { createRateLimits, type RateLimitSettings } from '#auth/rate-limits.ts';
import { openSignIn } from '#auth/sign-in.ts';
import { derivationKeyFrom } from '#domain/api-key-secret.ts';
import { listen } from '#http/server.ts';
import { findProject } from '#operations/find-projects.ts';
import { openDatabase } from '#persistence/database.ts';
import { openServiceProxy } from '#proxy/service-proxy.ts';
import { openWebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { serviceChecks } from '#routes/health.ts';
import { createApp } from '../src/app.ts';
import { startEchoServices, urlsOf, type EchoServices, type ReceivedRequest } from './echo-service.ts';
import { httpClient } from './http-client.ts';
import { tenants } from './tenants.ts';

interface GatewaySettings {
  readonly rateLimits?: Partial<RateLimitSettings>;
  readonly publicUrl?: string;
  readonly responseTimeoutMs?: number;
  readonly trustProxy?: number;
  readonly authSecret?: string;
  readonly isOverloaded?: () => boolean;
  /** Returns the URL to use instead of the test database's own. */
  readonly linkDatabase?: (url: string) => Promise<string>;
  /** A running gateway, whose database and services the new one shares. */
  readonly copyOf?: {
    readonly testDatabase: TestDatabase;
    readonly services: EchoServices;
    readonly identity: ReturnType<typeof testIdentity>;
  };
}

const UNLIMITED: RateLimitSettings = {
  perKey: 100_000,
  sessionCreation: 100_000,
  signIn: 100_000,
  badPortalTokens: 100_000,
};

/** Starts the gateway in this process, over HTTP, with its own database and bus, and echoes in place of services. */
export async function startGateway(settings: GatewaySettings = {}) {
  const { copyOf, publicUrl = 'http://localhost:8080', responseTimeoutMs } = settings;
  const resources = new AsyncDisposableStack();
  const now = () => new Date();
  const logLines: string[] = [];
  const logger = pino({ level: 'info' }, { write: line => void logLines.push(line) });

  const identity = copyOf?.identity ?? testIdentity('catalog');
  const services = copyOf?.services ?? (await startEchoServices(identity.publicKey, resources));
  const urls = urlsOf(services);

  const testDatabase: TestDatabase = copyOf?.testDatabase ?? resources.use(await createTestDatabase('gateway'));
  const databaseUrl = (await settings.linkDatabase?.(testDatabase.url)) ?? testDatabase.url;
  const database = resources.adopt(openDatabase(databaseUrl), it => it.close());
  await migrate(database);
  const { em } = database;
  const signIn = resources.adopt(await openSignIn({ databaseUrl, publicUrl, secret: 's'.repeat(32), logger }), it =>
    it.close(),
  );
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  resources.defer(serveRpc({ nats, root: bus.root, logger }, FindProject, findProject({ em })));
  resources.defer(startRelay(em, bus.publish, logger));
  const apiKeys = resources.adopt(openApiKeyCache({ em, now, logger }), it => it.close());
  const tokenFor = identityTokens(identity.privateKey, now);
  const timeout = responseTimeoutMs === undefined ? {} : { responseTimeoutMs };
  const proxy = resources.adopt(openServiceProxy({ urls, tokenFor, ...timeout }), it => it.close());
  const webhooks = resources.adopt(openWebhookForwarder({ url: urls.webhooks, tokenFor, ...timeout }), it =>
    it.close(),
  );
  const app = createApp({
    operations: allOperations,
    database,
    signIn,
    apiKeys,
    rateLimits: createRateLimits({ ...UNLIMITED, ...settings.rateLimits }),
    proxy,
    webhooks,
    checks: { database: () => ping(database), broker: () => bus.ping(), ...serviceChecks(urls) },
    isOverloaded: settings.isOverloaded ?? (() => false),
    logger,
    now,
    publicUrl,
    keyMode: 'test',
    derivationKey: derivationKeyFrom(settings.authSecret ?? 's'.repeat(32)),
    trustProxy: settings.trustProxy ?? false,
  });
  const server = resources.adopt(await listen(app, { host: '127.0.0.1', port: 0 }), it => it.close());
  const url = `http://127.0.0.1:${server.port}`;
  const call = httpClient(url);

  /** Consumes the events that match `filter` into a list, until the gateway stops. */
  async function collectEvents(filter: string) {
    const events: { readonly type: string; readonly data: unknown }[] = [];
    resources.defer(
      await bus.consume('test', filter, async ({ type, data }) => {
        events.push({ type, data });
        return { kind: 'done' };
      }),
    );
    return events;
  }

  return {
    url,
    port: server.port,
    database,
    testDatabase,
    services,
    identity,
    bus,
    nats,
    logLines,
    call,
    ...tenants(call),
    collectEvents,
    /** All requests that the services received, in order for each service. */
    received: (): ReceivedRequest[] => Object.values(services).flatMap(service => service.received),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
