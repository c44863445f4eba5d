import express, { type Express } from 'express';
import type { Operation } from '@billing/contracts/operation';
import type { Database } from '@billing/service/database';
import type { Checks } from '@billing/service/health';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { createAdmission } from '#admission/admit.ts';
import type { KeyRing } from '#admission/keys.ts';
import type { Limits } from '#admission/limits.ts';
import type { KeyMode } from '#domain/api-key-secret.ts';
import type { Deliveries } from '#forwarding/deliveries.ts';
import type { Forwarding } from '#forwarding/forward.ts';
import { answerError, routeNotFound } from '#http/answer-problem.ts';
import { answerOnce } from '#http/answer-once.ts';
import { canonicalPath } from '#http/canonical-path.ts';
import { withoutOptions } from '#http/without-options.ts';
import { identifyRequest } from '#http/identify-request.ts';
import { describeApi } from '#openapi/document.ts';
import { findMembership } from '#operations/find-membership.ts';
import { openKeySecrets } from '#operations/key-secrets.ts';
import { documentationRoutes } from '#routes/documentation.ts';
import { healthRoutes } from '#routes/health.ts';
import { operationRoutes, portalPageRoutes } from '#routes/operations.ts';
import { ownOperations } from '#routes/own-operations.ts';
import { signInRoutes } from '#routes/sign-in.ts';
import type { SignIn } from '#sign-in/sign-in.ts';

export interface Dependencies {
  readonly operations: readonly Operation[];
  readonly database: Database;
  readonly signIn: SignIn;
  readonly keys: KeyRing;
  readonly limits: Limits;
  readonly forwarding: Forwarding;
  readonly deliveries: Deliveries;
  readonly checks: Checks;
  /** While it says so, no writes to what the gateway owns are taken. */
  readonly isOverloaded?: IsOverloaded;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly publicUrl: string;
  readonly keyMode: KeyMode;
  /** 32 bytes: makes the secrets of repeated requests again. */
  readonly secretKey: Buffer;
  /** How many proxies, or which, may say who called; none unless told. */
  readonly trustProxy: false | number | string[];
}

/**
 * The whole HTTP surface; it opens nothing.
 * @throws Error when an operation is declared in a way that cannot be routed
 */
export function createApp(dependencies: Dependencies): Express {
  const { operations, database, signIn, keys, limits, forwarding, deliveries } = dependencies;
  const { publicUrl, keyMode, secretKey, now, isOverloaded = () => false } = dependencies;
  const admit = createAdmission({
    keys,
    signIn,
    limits,
    findMembership: findMembership(database.em),
    publicOrigin: new URL(publicUrl).origin,
  });
  const { em } = database;
  const secrets = openKeySecrets(keyMode, secretKey);
  const handlers = ownOperations({ em, users: signIn.users, keys, secrets, now });
  const once = answerOnce({ em, secretAgain: secrets.again });

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('trust proxy', dependencies.trustProxy);
  app.use(identifyRequest(dependencies.logger), canonicalPath);
  app.use(withoutOptions);
  app.use(healthRoutes(dependencies.checks));
  app.use(documentationRoutes(describeApi({ operations, publicUrl, cookieName: signIn.cookieName })));
  app.use('/api/auth', signInRoutes({ signIn, limits, publicUrl }));
  const own = { handlers, answerOnce: once, isOverloaded };
  app.use(operationRoutes({ operations, admit, limits, forwarding, deliveries, ...own }));
  app.use(portalPageRoutes({ limits, forwarding }));
  app.use((_request, _reply, next) => next(routeNotFound()));
  app.use(answerError);
  return app;
}
