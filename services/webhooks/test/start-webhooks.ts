import { randomBytes } from 'node:crypto';
import { defineService } from '@billing/service/definition';
import { startTestService } from '@billing/service/testing/start-test-service';
import { startTestAccount } from '@billing/service/testing/test-account';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { SERVICES } from '@billing/contracts/operation';
import type { WebhookEvent } from '@billing/contracts/resources/webhook-event';
import { CountMirrored } from '@billing/contracts/rpc/accounts';
import { FindProject, FindTeamName } from '@billing/contracts/rpc/calls';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { stripeClient } from '@billing/processor/stripe-client';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { projectState } from '@billing/testing/projects';
import type { Logger } from 'pino';
import { webhooks } from '../src/service.ts';
import { watchBus } from './watch-bus.ts';

export const PUBLIC_URL = 'https://billing.example.com';

export interface Team {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
  readonly secretKey: string;
  readonly webhookSecret: string;
}

type Scope = Pick<Team, 'teamId' | 'projectId'>;

interface Options {
  /** Whether consumers, jobs, RPC and the relay run; otherwise events are received and stored, and nothing more. */
  readonly run?: boolean;
  /** Whether the reconciler is one of the jobs. */
  readonly reconciler?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly outboxHighWater?: number;
  readonly logger?: Logger;
  readonly now?: () => Date;
}

interface PostOptions {
  /** The copy of the service that receives it; the first one unless given. */
  readonly to?: Pick<Awaited<ReturnType<typeof startTestService>>, 'call'>;
  /** The last part of the URL before the team: `stripe` is the older one. */
  readonly path?: 'processor' | 'stripe';
  readonly contentType?: string;
}

/** For tests that decide themselves when a team is reconciled. */
const withoutReconciler = defineService({
  ...webhooks,
  parts: async chassis => {
    const { jobs, ...parts } = await webhooks.parts(chassis);
    return { ...parts, jobs: jobs.slice(0, -1) };
  },
});

/**
 * Starts the webhooks service, a local processor where each team has its own account, and a gateway that knows the
 * projects of the test.
 */
export async function startWebhooks({ run = true, reconciler = true, env = {}, ...options }: Options = {}) {
  const definition = reconciler ? webhooks : withoutReconciler;
  const resources = new AsyncDisposableStack();
  const account = await startTestAccount();
  const credentialsKey = randomBytes(32);
  const ownEnv = {
    PUBLIC_URL,
    CREDENTIALS_KEY: credentialsKey.toString('base64'),
    SERVICE_KEYS: SERVICES.map(name => `${name}:${account.serviceKey.toString('base64')}`).join(','),
    ...env,
  };
  const service = resources.use(await startTestService(definition, { account, env: ownEnv, ...options }));
  const { bus, em, identity } = service;
  const projects = new Map<ProjectId, TeamId>();
  await service.serve(FindProject, async ({ teamId, projectId: id }) =>
    projects.get(id) === teamId ? projectState({ teamId, projectId: id }) : null,
  );
  await service.serve(FindTeamName, async () => ({ name: 'Acme' }));
  const mirrored = new Map<TeamId, { records: Record<string, number>; operations: number }>();
  const held = new Map<TeamId, (fence: number) => Promise<void>>();
  for (const [owner, rpc] of Object.entries(CountMirrored))
    await service.serve(rpc, async ({ teamId, fence }) => {
      if (owner === 'customers' && fence !== null) await held.get(teamId)?.(fence);
      const counted = owner === 'customers' ? mirrored.get(teamId) : undefined;
      return counted ?? { records: {}, operations: 0 };
    });
  const watcher = resources.adopt(await watchBus(bus), it => it.stop());
  if (run) await service.run();

  const newProject = (teamId: TeamId): ProjectId => {
    const projectId = ProjectId.create();
    projects.set(projectId, teamId);
    return projectId;
  };
  const connect = (teamId: TeamId, credentials: object, as = identity.asUser({ teamId })) =>
    service.call('POST', `/api/service/teams/${teamId}/processor/connect`, { body: credentials, as });

  /** Posts bytes to a team's webhook URL as the gateway forwards them. */
  const post = (
    teamId: string,
    body: string | Buffer,
    signature: string | undefined,
    { to = service, path = 'processor', contentType = 'application/json; charset=utf-8' }: PostOptions = {},
  ) => {
    const headers = { 'content-type': contentType, ...(signature !== undefined && { 'stripe-signature': signature }) };
    return to.call('POST', `/api/webhooks/${path}/${teamId}`, { body, headers, as: identity.anonymous() });
  };
  const list = async (of: Scope, query = '', as = identity.asUser(of)) => {
    const { body } = await service.call('GET', `/webhook-events${query}`, { of, as });
    return body as { webhookEvents: Record<keyof WebhookEvent, unknown>[]; pagination: { total: number } }; // the API's shape
  };

  return {
    ...service,
    ...watcher,
    /** The master key of version 1. */
    credentialsKey,
    /** What the owner of customers counts of a team; nothing unless set. */
    mirrored,
    /** Runs before the owner of customers counts those of a team behind a fence. */
    hold: (teamId: TeamId, before: (fence: number) => Promise<void>) => void held.set(teamId, before),
    newProject,
    connect,
    post,
    list,
    /** A team with one project and its own account at the local processor. */
    async newTeam(): Promise<Team> {
      const teamId = TeamId.create();
      const credentials = newCredentials();
      const { status, text } = await connect(teamId, credentials);
      if (status !== 200) throw new Error(text);
      return { teamId, projectId: newProject(teamId), ...credentials };
    },
    /** Posts an event as Stripe signs it. */
    send: (team: Team, event: object, where?: PostOptions) => {
      const body = JSON.stringify(event);
      return post(team.teamId, body, signatureOf(body, team.webhookSecret), where);
    },
    /** The record of an event, as a member of the team sees it. */
    recordOf: async (of: Scope, eventId: string) => (await list(of)).webhookEvents.find(({ id }) => id === eventId),
    replay: (of: Scope, eventId: string) =>
      service.call('POST', `/webhook-events/${eventId}/replay`, { of, as: identity.asUser(of) }),
    /** The team's account at the local processor. */
    processorOf: (team: Pick<Team, 'secretKey'>) => stripeProcessor(team.secretKey, account.url),
    controlOf: (team: Pick<Team, 'secretKey'>) => new LocalProcessorControl(account.url, team.secretKey),
    stripeOf: (team: Pick<Team, 'secretKey'>) => stripeClient(team.secretKey, account.url),
    /** Has a customer buy something once; returns the charge and its payment intent. */
    payOnce: async (team: Pick<Team, 'secretKey'>, customer: string) => {
      const stripe = stripeClient(team.secretKey, account.url);
      const { id: product } = await stripe.products.create({ name: 'Pro' });
      const price = await stripe.prices.create({ currency: 'usd', unit_amount: 500, product });
      const session = await stripe.checkout.sessions.create({
        customer,
        mode: 'payment',
        line_items: [{ price: price.id, quantity: 1 }],
        success_url: 'https://shop.example/ok',
      });
      await new LocalProcessorControl(account.url, team.secretKey).checkout(session.id);
      const [charge] = (await stripe.charges.list({ customer })).data;
      if (!charge) throw new Error('The checkout made no charge.');
      return { chargeId: charge.id, paymentIntentId: charge.payment_intent };
    },
    sql: (statement: string, values: readonly unknown[] = []) =>
      em.fork().execute<Record<string, unknown>[]>(statement, values),
    /** Ends the leases of all events, as time does after a crash. */
    endLeases: () => em.fork().execute('update webhook_events set due_at = now() where lease_id is not null'),
    /** One more copy of the service, on the same database and bus. */
    async startCopy({ run: runs = true, env: own = {}, ...rest }: Options = {}) {
      const copyEnv = { ...ownEnv, ...own };
      const copy = resources.use(await startTestService(definition, { besides: service, env: copyEnv, ...rest }));
      if (runs) await copy.run();
      return copy;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type WebhooksService = Awaited<ReturnType<typeof startWebhooks>>;

export const newCredentials = () => ({
  secretKey: `sk_test_${randomBytes(12).toString('hex')}`,
  publishableKey: `pk_test_${randomBytes(12).toString('hex')}`,
  webhookSecret: `whsec_${randomBytes(16).toString('hex')}`,
});
