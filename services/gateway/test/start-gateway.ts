import { startTestService } from '@billing/service/testing/start-test-service';
import { testIdentity } from '@billing/service/testing/identity';
import { pino } from 'pino';
import { gatewayService } from '../src/service.ts';
import { startEchoServices, urlsOf, type EchoServices, type ReceivedRequest } from './echo-service.ts';
import { httpClient } from './http-client.ts';
import { tenants } from './tenants.ts';

type TestServiceOptions = NonNullable<Parameters<typeof startTestService>[1]>;

interface GatewaySettings extends Pick<TestServiceOptions, 'env' | 'linkDatabase' | 'outboxHighWater'> {
  readonly responseTimeoutMs?: number;
  /** A running gateway, whose database, bus and services the new one shares. */
  readonly copyOf?: NonNullable<TestServiceOptions['besides']> & { readonly services: EchoServices };
}

const NO_RATE_LIMITS = {
  RATE_LIMIT_PER_KEY: '100000',
  RATE_LIMIT_SESSION_CREATION: '100000',
  RATE_LIMIT_SIGN_IN: '100000',
  RATE_LIMIT_BAD_PORTAL_TOKENS: '100000',
};

/** Starts the gateway in this process, over HTTP, with its own database and bus, and echoes in place of services. */
export async function startGateway({ copyOf, env, responseTimeoutMs, ...options }: GatewaySettings = {}) {
  await using starting = new AsyncDisposableStack();
  const identity = copyOf?.identity ?? testIdentity('gateway');
  const services = copyOf?.services ?? (await startEchoServices(identity.publicKey, starting));
  const logLines: string[] = [];
  const service = starting.use(
    await startTestService(gatewayService(responseTimeoutMs === undefined ? {} : { responseTimeoutMs }), {
      ...options,
      ...(copyOf && { besides: copyOf }),
      env: {
        PUBLIC_URL: 'http://localhost:8080',
        IDENTITY_PRIVATE_KEY: Buffer.from(identity.privateKey).toString('base64'),
        AUTH_SECRET: 's'.repeat(32),
        ...Object.fromEntries(
          Object.entries(urlsOf(services)).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]),
        ),
        ...NO_RATE_LIMITS,
        ...env,
      },
      logger: pino({ level: 'info' }, { write: line => void logLines.push(line) }),
    }),
  );
  await service.run();
  const url = await service.listen();
  const call = httpClient(url);
  const resources = starting.move();

  /** Reads the events that match `filter` into a list, until the gateway stops. */
  async function collectEvents(filter: string) {
    const events: { readonly type: string; readonly data: unknown }[] = [];
    resources.defer(
      await service.bus.subscribe('test', filter, async ({ event: { type, data } }) => {
        events.push({ type, data });
        return { kind: 'ack' };
      }),
    );
    return events;
  }

  return {
    ...service,
    identity,
    services,
    url,
    logLines,
    call,
    ...tenants(call),
    collectEvents,
    /** All requests that the services received, in order for each service. */
    received: (): ReceivedRequest[] => Object.values(services).flatMap(it => it.received),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
