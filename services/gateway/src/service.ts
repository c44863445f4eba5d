import { DIST_FOLDER } from '@billing/console/dist-folder';
import { defineService, rpcHandler } from '@billing/service/definition';
import { allOperations } from '@billing/contracts/operations/index';
import { FindProject, FindTeamName } from '@billing/contracts/rpc/calls';
import { ListProjectStates } from '@billing/contracts/rpc/list-states';
import { openApiKeyCache } from '#auth/api-key-cache.ts';
import { identityTokens } from '#auth/identity-tokens.ts';
import { createRateLimits } from '#auth/rate-limits.ts';
import { openMailer } from '#auth/mailer.ts';
import { openSignIn } from '#auth/sign-in.ts';
import { readConsoleFiles } from '#console/console-files.ts';
import { readDocsPage } from '#docs/page/docs-page.ts';
import { derivationKeyFrom } from '#domain/api-key-secret.ts';
import { accountModes } from './consumers/account-modes.ts';
import { auditLog } from './consumers/audit-log.ts';
import { createInvitationLinks } from '#domain/invitation-link.ts';
import { openBodyBudget } from '#http/body-budget.ts';
import { listen } from '#http/server.ts';
import { deleteExpiredRateLimits, openPointStores } from '#limits/point-store.ts';
import { webhookQuota } from '#limits/webhook-quota.ts';
import { findProject } from '#operations/find-projects.ts';
import { findTeamName } from '#operations/find-team-name.ts';
import { gatewaySchema } from '#persistence/schema.ts';
import { openServiceProxy } from '#proxy/service-proxy.ts';
import { openWebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { serviceChecks } from '#routes/health.ts';
import { listProjectStates } from '#rpc/projects.ts';
import { createApp, peerTrust } from './app.ts';
import { gatewayEnv, mailSettings, quotas, rateLimitSettings, serviceUrls } from './env.ts';

interface GatewayOptions {
  /** How long a service may take for its whole response, in milliseconds; longer than its own time budget. */
  readonly responseTimeoutMs?: number;
  /** Where the built console is. */
  readonly consoleFolder?: URL;
}

/** The parts of the gateway; the chassis runs them. */
export const gatewayService = ({ responseTimeoutMs = 25_000, consoleFolder = DIST_FOLDER }: GatewayOptions = {}) =>
  defineService({
    name: 'gateway',
    env: gatewayEnv,
    database: gatewaySchema,
    parts: async ({ env, em, outbox, rpc, isOverloaded, health, logger, now, resources }) => {
      const { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, AUTH_SECRET: secret } = env;
      const urls = serviceUrls(env);
      const forwarding = { tokenFor: identityTokens(env.IDENTITY_PRIVATE_KEY, now), responseTimeoutMs };
      const mail = mailSettings(env);
      const mailer = mail && resources.adopt(openMailer({ ...mail, logger }), it => it.close());
      const signIn = resources.adopt(await openSignIn({ databaseUrl, publicUrl, secret, mailer, logger }), it =>
        it.close(),
      );
      const apiKeys = resources.adopt(openApiKeyCache({ em, now, logger }), it => it.close());
      const proxy = resources.adopt(openServiceProxy({ urls, ...forwarding }), it => it.close());
      const rateLimits = createRateLimits(rateLimitSettings(env), openPointStores({ em, logger }));
      const webhooks = resources.adopt(
        openWebhookForwarder({ url: urls.webhooks, quota: webhookQuota(rateLimits), ...forwarding }),
        it => it.close(),
      );
      const app = createApp({
        operations: allOperations,
        em,
        outbox,
        rpc,
        signIn,
        apiKeys,
        rateLimits,
        bodyBudget: openBodyBudget(env.MAX_BODY_BYTES_IN_FLIGHT),
        proxy,
        webhooks,
        health: { ...health, checks: { ...health.checks, ...serviceChecks(urls) } },
        isOverloaded,
        logger,
        now,
        publicUrl,
        keyMode: env.KEY_MODE,
        derivationKey: derivationKeyFrom(secret, 'api-key-secrets'),
        invitationLinks: createInvitationLinks({
          publicUrl,
          derivationKey: derivationKeyFrom(secret, 'invitation-tokens'),
        }),
        quotas: quotas(env),
        consoleFiles: await readConsoleFiles(consoleFolder),
        docsPage: await readDocsPage(),
        trustProxy: env.TRUST_PROXY,
      });
      return {
        consumers: [accountModes(), auditLog()],
        rpc: [
          rpcHandler(FindTeamName, findTeamName({ em })),
          rpcHandler(FindProject, findProject({ em })),
          rpcHandler(ListProjectStates, listProjectStates({ em })),
        ],
        cleaning: [deleteExpiredRateLimits({ em })],
        listen: address =>
          listen(app, address, {
            max: env.MAX_CONNECTIONS,
            maxPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
            isTrustedProxy: peerTrust(app),
            isClosing: health.isClosing,
          }),
      };
    },
  });
