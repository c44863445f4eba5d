import { defineService, rpcHandler } from '@billing/service/definition';
import { allOperations } from '@billing/contracts/operations/index';
import { FindProject } from '@billing/contracts/rpc/calls';
import { ListProjectStates } from '@billing/contracts/rpc/list-states';
import { openApiKeyCache } from '#auth/api-key-cache.ts';
import { identityTokens } from '#auth/identity-tokens.ts';
import { createRateLimits } from '#auth/rate-limits.ts';
import { openSignIn } from '#auth/sign-in.ts';
import { derivationKeyFrom } from '#domain/api-key-secret.ts';
import { listen } from '#http/server.ts';
import { findProject } from '#operations/find-projects.ts';
import { gatewaySchema } from '#persistence/schema.ts';
import { openServiceProxy } from '#proxy/service-proxy.ts';
import { openWebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { serviceChecks } from '#routes/health.ts';
import { listProjectStates } from '#rpc/projects.ts';
import { createApp } from './app.ts';
import { gatewayEnv, rateLimitSettings, serviceUrls } from './env.ts';

interface GatewayOptions {
  /** How long a service may take for its whole response, in milliseconds; longer than its own time budget. */
  readonly responseTimeoutMs?: number;
}

/** The parts of the gateway; the chassis runs them. */
export const gatewayService = ({ responseTimeoutMs = 25_000 }: GatewayOptions = {}) =>
  defineService({
    name: 'gateway',
    env: gatewayEnv,
    database: gatewaySchema,
    parts: async ({ env, em, outbox, isOverloaded, checks, logger, now, resources }) => {
      const { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, AUTH_SECRET: secret } = env;
      const urls = serviceUrls(env);
      const forwarding = { tokenFor: identityTokens(env.IDENTITY_PRIVATE_KEY, now), responseTimeoutMs };
      const signIn = resources.adopt(await openSignIn({ databaseUrl, publicUrl, secret, logger }), it => it.close());
      const apiKeys = resources.adopt(openApiKeyCache({ em, now, logger }), it => it.close());
      const proxy = resources.adopt(openServiceProxy({ urls, ...forwarding }), it => it.close());
      const webhooks = resources.adopt(openWebhookForwarder({ url: urls.webhooks, ...forwarding }), it => it.close());
      const app = createApp({
        operations: allOperations,
        em,
        outbox,
        signIn,
        apiKeys,
        rateLimits: createRateLimits(rateLimitSettings(env)),
        proxy,
        webhooks,
        checks: { ...checks, ...serviceChecks(urls) },
        isOverloaded,
        logger,
        now,
        publicUrl,
        keyMode: env.KEY_MODE,
        derivationKey: derivationKeyFrom(secret),
        trustProxy: env.TRUST_PROXY,
      });
      return {
        rpc: [rpcHandler(FindProject, findProject({ em })), rpcHandler(ListProjectStates, listProjectStates({ em }))],
        listen: address => listen(app, address),
      };
    },
  });
