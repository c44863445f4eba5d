import { createHmac, randomBytes } from 'node:crypto';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { FindProcessorCredentials, FindProject } from '@billing/contracts/rpc/calls';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { serveRpc, openRpcClient } from '@billing/messaging/rpc';
import { watchBackPressure } from '@billing/messaging/back-pressure';
import { openBus } from '@billing/messaging/bus';
import { startRelay } from '@billing/messaging/relay';
import { openTeamProcessors } from '@billing/processor/team-processors';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { migrate } from '@billing/service/database';
import { createTestDatabase } from '@billing/testing/database';
import { testIdentity } from '@billing/testing/identity';
import { connectTestNats, testBusRoot } from '@billing/testing/nats';
import { Client } from 'pg';
import { pino, type Logger } from 'pino';
import { openSigningSecrets } from '#accounts/signing-secrets.ts';
import { findProcessorCredentials } from '#operations/find-processor-credentials.ts';
import { openDatabase } from '#persistence/database.ts';
import { askRoute } from '#processing/ask-route.ts';
import { completeFacts } from '#processing/complete-facts.ts';
import { processEvents } from '#processing/process-events.ts';
import { startWorker } from '#processing/worker.ts';
import { createApp } from '../src/app.ts';
import { consumeFacts } from '../src/reactions/consume.ts';

export const PUBLIC_URL = 'https://billing.example.com';

export interface Team {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly secretKey: string;
  readonly webhookSecret: string;
}

interface ServiceOptions {
  /** Whether received events are worked off; off to look at what stands before that. */
  readonly working?: boolean;
  /** Facts with more of which in the outbox no writes are taken. */
  readonly highWater?: number;
  readonly logger?: Logger;
  readonly now?: () => Date;
}

/**
 * The service in this process: its own database and bus, the stand-in for the processor, and a gateway that answers
 * for the projects the test has made.
 */
export async function startService(options: ServiceOptions = {}) {
  const resources = new AsyncDisposableStack();
  const logger = options.logger ?? pino({ level: 'silent' });
  const identity = testIdentity('webhooks');
  const testDatabase = resources.use(await createTestDatabase('webhooks'));
  const admin = new Client({ connectionString: testDatabase.adminUrl });
  await admin.connect();
  resources.defer(() => admin.end());

  const nats = resources.adopt(await connectTestNats(), it => it.close());
  const bus = await openBus({ nats, logger, root: testBusRoot() });
  resources.defer(bus.remove);
  const rpc = openRpcClient(bus);
  const stripe = resources.adopt(await startLocalProcessor(), it => it.close());
  const credentialsKey = randomBytes(32);

  /** Every project there is; the test's own gateway knows no others. */
  const projects = new Map<ProjectId, TeamId>();
  resources.defer(
    serveRpc({ ...bus, logger }, FindProject, async ({ teamId, projectId: id }) =>
      projects.get(id) === teamId ? { id, teamId, name: 'Shop', baseCurrency: 'usd', createdAt: new Date() } : null,
    ),
  );

  /** One copy of the service; all share the database and the bus. */
  const startCopy = async ({ working = true, now = () => new Date(), highWater = 100_000 }: ServiceOptions = {}) => {
    const database = resources.adopt(openDatabase(testDatabase.url), it => it.close());
    await migrate(database);
    const { em } = database;
    const secrets = resources.adopt(openSigningSecrets({ ...bus, em, credentialsKey }), it => it.close());
    resources.defer(serveRpc({ ...bus, logger }, FindProcessorCredentials, findProcessorCredentials(em)));
    const processors = resources.adopt(openTeamProcessors({ ...bus, rpc, credentialsKey, baseUrl: stripe.url }), it =>
      it.close(),
    );
    const process = processEvents({ em, ask: askRoute({ rpc, processors }), logger });
    const worker = working
      ? resources.adopt(startWorker({ em, process, logger, intervalMs: 50 }), it => it.stop())
      : { wake: () => undefined, stop: async () => undefined };
    if (working) {
      resources.defer(await consumeFacts({ em, bus, logger, onRoute: worker.wake }));
      resources.defer(startRelay(em, bus.publish, logger, { intervalMs: 50, complete: completeFacts(em) }));
    }
    const backlog = resources.adopt(watchBackPressure(em, { highWater, logger, intervalMs: 50 }), it => it.close());
    const app = createApp({
      database,
      secrets,
      credentialsKey,
      processorBaseUrl: stripe.url,
      publicUrl: PUBLIC_URL,
      now,
      onStored: worker.wake,
      logger,
      verifyIdentityToken: identity.verifyIdentityToken,
      isOverloaded: backlog.isOverloaded,
    });
    resources.adopt(app, it => it.close());
    return { app, backlog, database, secrets, worker, process, processors };
  };
  const copy = await startCopy(options);
  await nats.flush();

  const newProject = (teamId: TeamId) => {
    const projectId = ProjectId.create();
    projects.set(projectId, teamId);
    return projectId;
  };

  const connect = (teamId: TeamId, credentials: object, headers = identity.asUser({ teamId })) =>
    copy.app.inject({
      method: 'POST',
      url: `/api/service/teams/${teamId}/processor/connect`,
      payload: credentials,
      headers,
    });

  /** A team with one project and its own account at the processor. */
  const newTeam = async (): Promise<Team> => {
    const teamId = TeamId.create();
    const credentials = newCredentials();
    const response = await connect(teamId, credentials);
    if (response.statusCode !== 200) throw new Error(response.body);
    return { teamId, projectId: newProject(teamId), ...credentials };
  };

  /** Posts bytes to a team's address as the gateway forwards them. */
  const post = (
    teamId: string,
    body: string | Buffer,
    signature: string | undefined,
    { app = copy.app, path = 'processor', contentType = 'application/json; charset=utf-8' } = {},
  ) =>
    app.inject({
      method: 'POST',
      url: `/api/webhooks/${path}/${teamId}`,
      payload: body,
      headers: {
        ...identity.anonymous(),
        'content-type': contentType,
        ...(signature === undefined ? {} : { 'stripe-signature': signature }),
      },
    });

  /** Posts an event as the processor signs it. */
  const send = (team: Team, event: object, where?: Parameters<typeof post>[3]) => {
    const body = JSON.stringify(event);
    return post(team.teamId, body, sign(body, team.webhookSecret), where);
  };

  const list = async (of: Pick<Team, 'teamId' | 'projectId'>, query = '', headers = identity.asUser(of)) => {
    const url = `/api/service/teams/${of.teamId}/projects/${of.projectId}/webhook-events${query}`;
    const response = await copy.app.inject({ method: 'GET', url, headers });
    return response.json<{ webhookEvents: Record<keyof WebhookEvent, unknown>[]; pagination: { total: number } }>();
  };

  return {
    ...copy,
    startCopy,
    testDatabase,
    admin,
    bus,
    rpc,
    identity,
    stripe,
    credentialsKey,
    logger,
    projects,
    newProject,
    newTeam,
    connect,
    post,
    send,
    list,
    /** The team's account at the processor. */
    processorOf: (team: Team) => stripeProcessor(team.secretKey, stripe.url),
    controlOf: (team: Team) => new LocalProcessorControl(stripe.url, team.secretKey),
    /** The record of one event, as a member of the team sees it. */
    recordOf: async (of: Pick<Team, 'teamId' | 'projectId'>, eventId: string) =>
      (await list(of)).webhookEvents.find(({ id }) => id === eventId),
    replay: (of: Pick<Team, 'teamId' | 'projectId'>, eventId: string, headers = identity.asUser(of)) =>
      copy.app.inject({
        method: 'POST',
        url: `/api/service/teams/${of.teamId}/projects/${of.projectId}/webhook-events/${eventId}/replay`,
        headers,
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

export const newCredentials = () => ({
  secretKey: `sk_test_${randomBytes(12).toString('hex')}`,
  publishableKey: `pk_test_${randomBytes(12).toString('hex')}`,
  webhookSecret: `whsec_${randomBytes(16).toString('hex')}`,
});

/** A signature of the processor's kind over the body, as of `seconds` since 1970. */
export function sign(body: string | Buffer, secret: string, seconds = Math.floor(Date.now() / 1_000), scheme = 'v1') {
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},${scheme}=${digest}`;
}

/** An event as the processor sends it, of any type. */
export function anEvent(type: string, object: object, changes: object = {}) {
  return {
    id: `evt_${randomBytes(12).toString('hex')}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object },
    ...changes,
  };
}

/** A customer that names its project. */
export function aCustomer(projectId?: ProjectId, changes: object = {}) {
  const id = `cus_${randomBytes(8).toString('hex')}`;
  return { id, object: 'customer', email: 'ada@example.com', metadata: projectId ? { projectId } : {}, ...changes };
}
