import { allOperations } from '@billing/contracts/operations/index';
import type { Chassis } from '@billing/service/definition';
import express, { type Express } from 'express';
import type { ApiKeyCache } from '#auth/api-key-cache.ts';
import { authorizeRequest } from '#auth/authorize-request.ts';
import type { RateLimits } from '#auth/rate-limits.ts';
import type { Quotas } from '#domain/quotas.ts';
import { callBetterAuth } from '#auth/call-better-auth.ts';
import { secretChecks } from '#auth/secret-checks.ts';
import { sessionCookies } from '#auth/session-cookies.ts';
import { openSessions } from '#auth/sessions.ts';
import type { SignIn } from '#auth/sign-in.ts';
import type { MailInvitation } from '#auth/account-mails.ts';
import type { DocsPage } from '#docs/page/docs-page.ts';
import type { ConsoleFiles } from '#routes/console.ts';
import type { IsTrustedProxy } from '#domain/addresses.ts';
import { createKeySecrets, derivationKeyFrom } from '#domain/api-key-secret.ts';
import { requireMayRegister } from '#domain/sign-up-policy.ts';
import { createInvitationLinks } from '#domain/invitation-link.ts';
import { openBodyBudget } from '#http/body-budget.ts';
import { errorHandler, routeNotFound } from '#http/problem-response.ts';
import { requestContext } from '#http/request-context.ts';
import { filterRequest } from '#http/request-filters.ts';
import { portalAdmission } from '#limits/portal-admission.ts';
import { signInAdmission } from '#limits/sign-in-admission.ts';
import { describeInvitation } from '#operations/describe-invitation.ts';
import { isInvited } from '#operations/invitations.ts';
import { recordRefusal } from '#operations/audit-log.ts';
import { recordSignIn } from '#operations/record-sign-in.ts';
import { findMembership } from '#persistence/find-membership.ts';
import type { ServiceProxy } from '#proxy/service-proxy.ts';
import type { WebhookForwarder } from '#proxy/webhook-forwarder.ts';
import { consoleRoutes, unknownPage } from '#routes/console.ts';
import { invitationRoutes } from '#routes/describe-invitation.ts';
import { docsRoutes } from '#routes/docs.ts';
import { healthRoutes, serviceChecks } from '#routes/health.ts';
import { respondWithoutSecret } from '#routes/idempotent-response.ts';
import { operationRoutes } from '#routes/operations.ts';
import { ownOperations } from '#routes/own-operations.ts';
import { portalPageRoutes } from '#routes/portal-page.ts';
import { signInRoutes } from '#routes/sign-in.ts';
import { serviceUrls, signUpPolicy, type GatewayEnv } from './env.ts';

interface Dependencies extends Pick<
  Chassis<GatewayEnv>,
  | 'env'
  | 'em'
  | 'readEm'
  | 'places'
  | 'outbox'
  | 'rpc'
  | 'isOverloaded'
  | 'isTeamOverloaded'
  | 'health'
  | 'logger'
  | 'now'
> {
  readonly signIn: SignIn;
  readonly apiKeys: ApiKeyCache;
  readonly rateLimits: RateLimits;
  readonly quotas: Quotas;
  readonly proxy: ServiceProxy;
  readonly webhooks: WebhookForwarder;
  /** Undefined where this installation sends no mail. */
  readonly mailInvitation: MailInvitation | undefined;
  readonly consoleFiles: ConsoleFiles;
  readonly docsPage: DocsPage;
}

/**
 * Creates the whole HTTP surface; opens nothing.
 * @throws Error when an operation is declared in a way that cannot be routed
 */
export function createApp(dependencies: Dependencies): Express {
  const { env, em, signIn, apiKeys, rateLimits, proxy, webhooks, health, logger, now } = dependencies;
  const { readEm, places, isOverloaded, isTeamOverloaded } = dependencies;
  const { PUBLIC_URL: publicUrl, AUTH_SECRET: secret, KEY_MODE: keyMode } = env;
  const operations = allOperations;
  const cookies = sessionCookies({ publicUrl, secret });
  const sessions = openSessions(em);
  const admission = signInAdmission(rateLimits);
  const admitToPortal = portalAdmission(rateLimits);
  const secrets = createKeySecrets(derivationKeyFrom(secret, 'api-key-secrets'));
  const derivationKey = derivationKeyFrom(secret, 'invitation-tokens');
  const invitationLinks = createInvitationLinks({ publicUrl, derivationKey });
  const bodyBudget = openBodyBudget(env.MAX_BODY_BYTES_IN_FLIGHT);
  const checks = { ...health.checks, ...serviceChecks(serviceUrls(env)) };

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('trust proxy', env.TRUST_PROXY);
  app.use(requestContext({ logger, publicUrl, bodyBudget, isTrustedProxy: proxyTrust(app) }), filterRequest);
  app.use(
    operationRoutes({
      operations,
      authorizeRequest: authorizeRequest({
        apiKeys,
        cookies,
        sessions,
        rateLimits,
        findMembership: findMembership(em),
        publicOrigin: new URL(publicUrl).origin,
        now,
      }),
      admitToPortal,
      proxy,
      webhooks,
      ownOperations: ownOperations({
        ...dependencies,
        users: signIn.users,
        secrets,
        keyMode,
        invitationLinks,
      }),
      respondOnce: respondWithoutSecret({
        em,
        reissueSecret: secrets.reissue,
        reissueInvitation: invitationLinks.reissue,
      }),
      recordRefusal: recordRefusal(dependencies),
      isOverloaded,
      isTeamOverloaded,
      places,
      readEm,
    }),
  );
  app.use(healthRoutes({ ...health, checks }));
  app.use(docsRoutes({ operations, publicUrl, sessionCookie: cookies.name }, dependencies.docsPage));
  app.use(invitationRoutes({ describeInvitation: describeInvitation({ em, users: signIn.users, now }), rateLimits }));
  app.use(consoleRoutes(dependencies.consoleFiles));
  app.use(
    '/api/auth',
    signInRoutes({
      call: callBetterAuth({ signIn, cookies, publicUrl }),
      checks: secretChecks({ signIn, sessions, cookies, admission }),
      admission,
      sessions,
      cookies,
      rateLimits,
      signIn,
      recordSignIn: recordSignIn(dependencies),
      requireMayRegister: requireMayRegister(signUpPolicy(env), isInvited(dependencies)),
      publicUrl,
      now,
    }),
  );
  app.use(portalPageRoutes({ admitToPortal, proxy }));
  app.use(unknownPage(dependencies.consoleFiles));
  app.use((_request, _response, next) => next(routeNotFound()));
  app.use(errorHandler);
  return app;
}

/** Returns whom the setting TRUST_PROXY names. */
export const proxyTrust = (app: Express): IsTrustedProxy => app.get('trust proxy fn') as IsTrustedProxy; // Express compiles the setting to it
