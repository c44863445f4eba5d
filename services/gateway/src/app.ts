import type { EntityManager } from '@mikro-orm/postgresql';
import express, { type Express } from 'express';
import type { Operation } from '@billing/contracts/operation';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { HealthChecks } from '@billing/service/health';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import type { ApiKeyCache } from '#auth/api-key-cache.ts';
import { authorizeRequest } from '#auth/authorize-request.ts';
import type { RateLimits } from '#auth/rate-limits.ts';
import type { SignIn } from '#auth/sign-in.ts';
import { describeApi } from '#docs/document.ts';
import type { DocsPage } from '#docs/page/docs-page.ts';
import type { ConsoleFiles } from '#console/console-files.ts';
import { createKeySecrets, type KeyMode } from '#domain/api-key-secret.ts';
import type { InvitationLinks } from '#domain/invitation-link.ts';
import type { Quotas } from '#domain/quotas.ts';
import type { BodyBudget } from '#http/body-budget.ts';
import { errorHandler, routeNotFound } from '#http/problem-response.ts';
import { requestContext } from '#http/request-context.ts';
import { canonicalizePath, rejectOptions } from '#http/request-filters.ts';
import { portalAdmission } from '#limits/portal-admission.ts';
import { signInAdmission } from '#limits/sign-in-admission.ts';
import { recordRefusal } from '#operations/record-refusal.ts';
import { findMembership } from '#persistence/find-membership.ts';
import type { ServiceProxy } from '#proxy/service-proxy.ts';
import type { WebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { accountPageRoutes } from '#routes/account-pages.ts';
import { consoleRoutes } from '#routes/console.ts';
import { docsRoutes } from '#routes/docs.ts';
import { healthRoutes } from '#routes/health.ts';
import { respondOnce } from '#routes/idempotent-response.ts';
import { operationRoutes } from '#routes/operations.ts';
import { ownOperations } from '#routes/own-operations.ts';
import { portalPageRoutes } from '#routes/portal-page.ts';
import { signInRoutes } from '#routes/sign-in.ts';

interface Dependencies {
  readonly operations: readonly Operation[];
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly signIn: SignIn;
  readonly apiKeys: ApiKeyCache;
  readonly rateLimits: RateLimits;
  readonly bodyBudget: BodyBudget;
  readonly proxy: ServiceProxy;
  readonly webhooks: WebhookForwarder;
  readonly health: HealthChecks;
  /** While true, writes to the gateway's own tables get 503. */
  readonly isOverloaded: IsOverloaded;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly publicUrl: string;
  /** Of new API keys in teams without a processor account. */
  readonly keyMode: KeyMode;
  /** 32 bytes, from which the secrets of repeatable requests are derived. */
  readonly derivationKey: Buffer;
  readonly invitationLinks: InvitationLinks;
  readonly quotas: Quotas;
  readonly consoleFiles: ConsoleFiles;
  readonly docsPage: DocsPage;
  /** How many proxies, or which networks, may set `X-Forwarded-For`; false: none. */
  readonly trustProxy: false | number | string[];
}

/**
 * Creates the whole HTTP surface; opens nothing.
 * @throws Error when an operation is declared in a way that cannot be routed
 */
export function createApp(dependencies: Dependencies): Express {
  const { operations, em, signIn, apiKeys, rateLimits, proxy, webhooks, isOverloaded, now, publicUrl } = dependencies;
  const admitToPortal = portalAdmission(rateLimits);
  const secrets = createKeySecrets(dependencies.derivationKey);

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('trust proxy', dependencies.trustProxy);
  app.use(requestContext(dependencies), canonicalizePath, rejectOptions);
  app.use(healthRoutes(dependencies.health));
  const document = describeApi({ operations, publicUrl, sessionCookie: signIn.sessionCookie });
  app.use(docsRoutes(document, dependencies.docsPage));
  app.use(accountPageRoutes());
  app.use(consoleRoutes(dependencies.consoleFiles));
  app.use('/api/auth', signInRoutes({ signIn, admission: signInAdmission(rateLimits), publicUrl }));
  app.use(
    operationRoutes({
      operations,
      authorizeRequest: authorizeRequest({
        apiKeys,
        signIn,
        rateLimits,
        findMembership: findMembership(em),
        publicOrigin: new URL(publicUrl).origin,
        now,
      }),
      admitToPortal,
      proxy,
      webhooks,
      ownOperations: ownOperations({ ...dependencies, users: signIn.users, secrets }),
      respondOnce: respondOnce({
        em,
        reissueSecret: secrets.reissue,
        reissueInvitation: dependencies.invitationLinks.reissue,
      }),
      recordRefusal: recordRefusal(dependencies),
      isOverloaded,
    }),
  );
  app.use(portalPageRoutes({ admitToPortal, proxy }));
  app.use((_request, _response, next) => next(routeNotFound()));
  app.use(errorHandler);
  return app;
}

/** Returns a function that tells whether the peer of a connection is a trusted proxy. */
export const peerTrust = (app: Express): ((address: string) => boolean) => {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean; // Express compiles the setting to it
  return address => isTrusted(address, 0);
};
