import { randomBytes, randomUUID } from 'node:crypto';
import { FindProject } from '@billing/contracts/rpc/calls';
import type { ServiceName } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { SCOPES, type Scope } from '@billing/contracts/scopes';
import { serveRpc } from '@billing/messaging/rpc';
import { openBus } from '@billing/messaging/bus';
import { startRelay } from '@billing/messaging/relay';
import { migrate, ping } from '@billing/service/database';
import { createTestDatabase, type TestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { pino } from 'pino';
import { openKeyRing } from '#admission/keys.ts';
import { createLimits, type LimitSettings } from '#admission/limits.ts';
import { secretKeyFrom } from '#domain/api-key-secret.ts';
import { openDeliveries } from '#forwarding/deliveries.ts';
import { openForwarding } from '#forwarding/forward.ts';
import { createIdentityTokens } from '#forwarding/statements.ts';
import { listen } from '#http/server.ts';
import { findProject } from '#operations/projects.ts';
import { openDatabase } from '#persistence/database.ts';
import { serviceChecks } from '#routes/health.ts';
import { openSignIn } from '#sign-in/sign-in.ts';
import { createApp } from '../src/app.ts';
import type { ServiceUrls } from '../src/env.ts';
import { startEchoService, type EchoService, type Seen } from './echo-service.ts';

interface GatewaySettings {
  readonly limits?: Partial<LimitSettings>;
  readonly publicUrl?: string;
  readonly answerTimeoutMs?: number;
  readonly trustProxy?: number;
  readonly authSecret?: string;
  /** Whether writes to what the gateway owns are refused. */
  readonly isOverloaded?: () => boolean;
  /** Reach the database by another way than straight. */
  readonly linkDatabase?: (url: string) => Promise<string>;
  /** The database and the services of a gateway that runs already: a second copy of it. */
  readonly beside?: {
    readonly testDatabase: TestDatabase;
    readonly services: Services;
    readonly identity: ReturnType<typeof testIdentity>;
  };
}

const PLENTY: LimitSettings = { perKey: 100_000, sessionCreation: 100_000, signIn: 100_000, badPortalTokens: 100_000 };
const OTHERS = ['catalog', 'customers', 'subscriptions', 'referrals', 'analytics', 'webhooks', 'portal'] as const;

/** The gateway in this process, over HTTP, with a database and a bus of its own and echoes for services. */
export async function startGateway(settings: GatewaySettings = {}) {
  const { beside, publicUrl = 'http://localhost:8080', answerTimeoutMs } = settings;
  const resources = new AsyncDisposableStack();
  const now = () => new Date();
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: line => void lines.push(line) });

  const identity = beside?.identity ?? testIdentity('catalog');
  const services = beside?.services ?? (await startServices(identity.publicKey, resources));
  const urls = Object.fromEntries(OTHERS.map(name => [name, services[name].url])) as unknown as ServiceUrls; // one for each name

  const testDatabase: TestDatabase = beside?.testDatabase ?? resources.use(await createTestDatabase('gateway'));
  const databaseUrl = (await settings.linkDatabase?.(testDatabase.url)) ?? testDatabase.url;
  const database = resources.adopt(openDatabase(databaseUrl), it => it.close());
  await migrate(database);
  const signIn = resources.adopt(await openSignIn({ databaseUrl, publicUrl, secret: 's'.repeat(32), logger }), it =>
    it.close(),
  );
  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  resources.defer(serveRpc({ nats, root: bus.root, logger }, FindProject, findProject(database.em)));
  resources.defer(startRelay(database.em, bus.publish, logger));
  const keys = resources.adopt(openKeyRing(database.em, now, logger), it => it.close());
  const state = createIdentityTokens(identity.privateKey, now);
  const patience = answerTimeoutMs === undefined ? {} : { answerTimeoutMs };
  const forwarding = resources.adopt(openForwarding({ urls, state, ...patience }), it => it.close());
  const deliveries = resources.adopt(openDeliveries({ url: urls.webhooks, state, ...patience }), it => it.close());
  const app = createApp({
    operations: allOperations,
    database,
    signIn,
    keys,
    limits: createLimits({ ...PLENTY, ...settings.limits }),
    forwarding,
    deliveries,
    checks: { database: () => ping(database), broker: () => bus.ping(), ...serviceChecks(urls) },
    logger,
    now,
    publicUrl,
    keyMode: 'test',
    secretKey: secretKeyFrom(settings.authSecret ?? 's'.repeat(32)),
    trustProxy: settings.trustProxy ?? false,
    isOverloaded: settings.isOverloaded ?? (() => false),
  });
  const server = resources.adopt(await listen(app, { host: '127.0.0.1', port: 0 }), it => it.close());
  const url = `http://127.0.0.1:${server.port}`;

  async function call(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type') ?? '').startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Signs a new person up and in. */
  async function signUp(email = `${randomBytes(6).toString('hex')}@example.com`) {
    const answer = await call('POST', '/api/auth/sign-up/email', { body: { name: 'Ada', email, password: PASSWORD } });
    if (answer.status !== 200) throw new Error(`sign-up: ${answer.status} ${answer.text}`);
    const cookie = cookieOf(answer);
    const as = (method: string, path: string, body?: unknown) => call(method, path, { body, headers: { cookie } });
    return { email, cookie, userId: String(answer.body.user.id), as };
  }

  /** Somebody with a team and a project. */
  async function givenProject() {
    const owner = await signUp();
    const team = (await owner.as('POST', '/api/service/teams', { name: 'Acme' })).body.team;
    const teamPath = `/api/service/teams/${team.id}`;
    const project = (await owner.as('POST', `${teamPath}/projects`, { name: 'Shop' })).body.project;
    const path = `${teamPath}/projects/${project.id}`;
    const newKey = async (scopes: readonly Scope[] = SCOPES, more: object = {}): Promise<NewKey> => {
      const { body } = await owner.as('POST', `${path}/api-keys`, { name: 'a key', scopes, ...more });
      return { secret: body.secret, id: body.apiKey.id, bearer: { authorization: `Bearer ${body.secret}` } };
    };
    return { owner, teamId: String(team.id), projectId: String(project.id), teamPath, path, newKey };
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
    lines,
    call,
    signUp,
    givenProject,
    /** Everything the services saw, in their order. */
    seen: (): Seen[] => Object.values(services).flatMap(service => service.seen),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;
type Services = Readonly<Record<Exclude<ServiceName, 'gateway'>, EchoService>>;

interface Asked {
  /** Sent as JSON, or as it is if a text. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of many shapes
  readonly body: any;
}

interface NewKey {
  readonly secret: string;
  readonly id: string;
  readonly bearer: { authorization: string };
}

export const PASSWORD = 'correct horse battery';

/** The cookies an answer sets, as a browser would send them back. */
export const cookieOf = (answer: Answer): string =>
  answer.headers
    .getSetCookie()
    .map(cookie => cookie.split(';', 1)[0])
    .join('; ');

/** The same error however often it is asked for, but for the id of the request. */
export const withoutRequestId = (answer: Answer): string =>
  answer.text.replace(answer.headers.get('x-request-id') ?? /never/, '…');

export const aRequestId = () => randomUUID();

async function startServices(publicKey: string, resources: AsyncDisposableStack): Promise<Services> {
  const started = await Promise.all(OTHERS.map(async name => [name, await startEchoService(name, publicKey)] as const));
  for (const [, service] of started) resources.adopt(service, it => it.close());
  return Object.fromEntries(started) as unknown as Services; // one for each name
}
