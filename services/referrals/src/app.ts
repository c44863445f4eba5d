import type { EntityManager } from '@mikro-orm/postgresql';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Checks } from '@billing/service/health';
import { createHttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { codeRoutes } from './routes/codes.ts';
import { creditRoutes } from './routes/credits.ts';
import { programRoutes } from './routes/program.ts';
import { referralRoutes } from './routes/referrals.ts';

export interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly logger: Logger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly now: () => Date;
  /** Returns a random code. */
  readonly newCode?: () => string;
  readonly checks?: Checks;
  /** While true, writes get 503. */
  readonly isOverloaded?: IsOverloaded;
}

/** Returns the HTTP server of referrals; it opens nothing. */
export function createApp(dependencies: Dependencies) {
  const { em, logger, verifyIdentityToken, checks = {}, isOverloaded } = dependencies;
  const app = createHttpServer({ logger, verifyIdentityToken, checks, idempotency: em, isOverloaded });
  app.register(programRoutes(dependencies));
  app.register(codeRoutes(dependencies));
  app.register(referralRoutes(dependencies));
  app.register(creditRoutes(dependencies));
  return app;
}
