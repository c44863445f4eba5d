import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTestService } from '@billing/service/testing/start-test-service';
import { testIdentity } from '@billing/service/testing/identity';
import { NO_LIMITS } from '@billing/testing/no-limits';
import { pino } from 'pino';
import { loggedError } from '@billing/service/logged-error';
import type { PasswordHashing } from '#auth/password-hashing.ts';
import { gatewayService } from '../src/service.ts';
import { startEchoServices, urlsOf, type EchoServices, type ReceivedRequest } from './echo-service.ts';
import { httpClient } from './http-client.ts';
import { tenants } from './tenants.ts';

type TestServiceOptions = NonNullable<Parameters<typeof startTestService>[1]>;

type GatewayOptions = NonNullable<Parameters<typeof gatewayService>[0]>;

interface GatewaySettings
  extends Pick<TestServiceOptions, 'env' | 'linkDatabase' | 'outboxHighWater'>, Omit<GatewayOptions, 'passwords'> {
  /** A running gateway, whose database, bus and services the new one shares. */
  readonly copyOf?: NonNullable<TestServiceOptions['besides']> & { readonly services: EchoServices };
}

/** As quick as the real one is slow, which `password-hashing.test.ts` and the end-to-end tests show. */
const QUICK: PasswordHashing = {
  hash: async password => hash('sha256', password),
  verify: async stored => hash('sha256', stored.password) === stored.hash,
};

/** Starts the gateway in this process, over HTTP, with its own database and bus, and echoes in place of services. */
export async function startGateway({ copyOf, env, linkDatabase, outboxHighWater, ...options }: GatewaySettings = {}) {
  await using starting = new AsyncDisposableStack();
  const identity = copyOf?.identity ?? testIdentity('gateway');
  const services = copyOf?.services ?? (await startEchoServices(identity.publicKey, starting));
  const logLines: string[] = [];
  const service = starting.use(
    await startTestService(gatewayService({ passwords: QUICK, ...options }), {
      ...(linkDatabase && { linkDatabase }),
      ...(outboxHighWater !== undefined && { outboxHighWater }),
      ...(copyOf && { besides: copyOf }),
      env: {
        PUBLIC_URL: 'http://localhost:8080',
        IDENTITY_PRIVATE_KEY: Buffer.from(identity.privateKey).toString('base64'),
        AUTH_SECRET: 's'.repeat(32),
        ...Object.fromEntries(
          Object.entries(urlsOf(services)).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]),
        ),
        ...NO_LIMITS,
        ...env,
      },
      logger: pino({ level: 'info', serializers: { err: loggedError } }, { write: line => void logLines.push(line) }),
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

  /** Prints a link to reset a password by the operator's command. */
  async function resetLink(email: string): Promise<string> {
    const main = join(import.meta.dirname, '../src/reset-link/main.ts');
    const { DATABASE_URL, PUBLIC_URL } = service.env;
    const inShell = { env: { ...process.env, DATABASE_URL, PUBLIC_URL } };
    const { stdout } = await promisify(execFile)(process.execPath, [main, email], inShell);
    return stdout.trim();
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
    resetLink,
    /** All requests that the services received, in order for each service. */
    received: (): ReceivedRequest[] => Object.values(services).flatMap(it => it.received),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
