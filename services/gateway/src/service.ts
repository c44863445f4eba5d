import { DIST_FOLDER } from '@billing/console/dist-folder';
import { defineService, rpcHandler } from '@billing/service/definition';
import { FindProject, FindTeamName } from '@billing/contracts/rpc/calls';
import { SetGraceDays } from '@billing/contracts/rpc/catalog';
import { ListProjectStates } from '@billing/contracts/rpc/list-states';
import { placeGauges } from '@billing/service/request-places';
import { openApiKeyCache } from '#auth/api-key-cache.ts';
import { identityTokens } from '#auth/identity-tokens.ts';
import { createRateLimits, type LimitOverrides } from '#auth/rate-limits.ts';
import { mailFailingEndpoints, mailInvitations } from '#auth/account-mails.ts';
import { openMailer } from '#auth/mailer.ts';
import type { PasswordHashing } from '#auth/password-hashing.ts';
import { openSignIn } from '#auth/sign-in.ts';
import { QUOTAS, type Quotas } from '#domain/quotas.ts';
import { readConsoleFiles } from '#routes/console.ts';
import { readDocsPage } from '#docs/page/docs-page.ts';
import { accountModes, auditLog, failingEndpoints } from './consumers/events.ts';
import { listen } from '#http/server.ts';
import { deleteExpiredRateLimits, openPointStores } from '#limits/point-store.ts';
import { webhookQuota } from '#limits/webhook-quota.ts';
import { findProject, findTeamName, listProjectStates, setGraceDays } from '#operations/projects.ts';
import { gatewaySchema } from '#persistence/schema.ts';
import { openServiceProxy } from '#proxy/service-proxy.ts';
import { openWebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { createApp, proxyTrust } from './app.ts';
import { gatewayEnv, mailSettings, serviceUrls } from './env.ts';

interface GatewayOptions {
  /** How long a service may take for its whole response, in milliseconds; longer than its own time budget. */
  readonly responseTimeoutMs?: number;
  /** Where the built console is. */
  readonly consoleFolder?: URL;
  /** How passwords are kept, unless as they should be. */
  readonly passwords?: PasswordHashing;
  /** Points of rate limits, unless as the environment has them. */
  readonly limits?: LimitOverrides;
  /** Quotas, unless as they should be. */
  readonly quotas?: Partial<Quotas>;
}

/** The parts of the gateway; the chassis runs them. */
export const gatewayService = ({
  responseTimeoutMs = 25_000,
  consoleFolder = DIST_FOLDER,
  passwords,
  limits,
  quotas,
}: GatewayOptions = {}) =>
  defineService({
    name: 'gateway',
    env: gatewayEnv,
    database: gatewaySchema,
    parts: async chassis => {
      const { env, em, health, logger, now, resources } = chassis;
      const { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, AUTH_SECRET: secret } = env;
      const urls = serviceUrls(env);
      const forwarding = { tokenFor: identityTokens(env.IDENTITY_PRIVATE_KEY, now), responseTimeoutMs };
      const mail = mailSettings(env);
      const rateLimits = createRateLimits(env, openPointStores({ em, logger }), limits);
      const opened = <Closable extends { close(): void | Promise<void> }>(it: Closable): Closable =>
        resources.adopt(it, closable => closable.close());
      const mailer = mail && opened(openMailer({ ...mail, limit: rateLimits.mails, logger }));
      const signIn = opened(await openSignIn({ databaseUrl, publicUrl, secret, mailer, passwords, logger }));
      const proxy = opened(openServiceProxy({ urls, ...forwarding }));
      const app = createApp({
        ...chassis,
        signIn,
        apiKeys: opened(openApiKeyCache({ em, now, logger })),
        rateLimits,
        quotas: { ...QUOTAS, projects: env.QUOTA_PROJECTS, ...quotas },
        mailInvitation: mailer && mailInvitations(mailer, rateLimits.invitationMails),
        proxy,
        webhooks: opened(openWebhookForwarder({ url: urls.webhooks, quota: webhookQuota(rateLimits), ...forwarding })),
        consoleFiles: await readConsoleFiles(consoleFolder),
        docsPage: await readDocsPage(),
      });
      return {
        consumers: [
          accountModes(),
          auditLog(),
          failingEndpoints({ users: signIn.users, mail: mailer && mailFailingEndpoints(mailer, publicUrl) }),
        ],
        rpc: [
          rpcHandler(FindTeamName, findTeamName({ em })),
          rpcHandler(FindProject, findProject({ em })),
          rpcHandler(ListProjectStates, listProjectStates({ em })),
          rpcHandler(SetGraceDays, setGraceDays({ outbox: chassis.outbox })),
        ],
        gauges: placeGauges(proxy.places),
        cleaning: [deleteExpiredRateLimits({ em })],
        listen: address =>
          listen(app, address, {
            max: env.MAX_CONNECTIONS,
            maxPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
            isTrustedProxy: proxyTrust(app),
            isClosing: health.isClosing,
          }),
      };
    },
  });
