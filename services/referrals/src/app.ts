import type { RpcClient } from '@billing/messaging/rpc';
import type { Database } from '@billing/service/database';
import type { Checks } from '@billing/service/health';
import { createHttpServer, type HttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { FastifyBaseLogger } from 'fastify';
import { serveReferrals } from './routes/referrals.ts';

export interface Dependencies {
  readonly database: Database;
  readonly rpc: RpcClient;
  readonly logger: FastifyBaseLogger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  /** Tells now. */
  readonly clock: () => Date;
  /** Draws a random code. */
  readonly newCode?: () => string;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly isOverloaded?: IsOverloaded;
}

/** The whole HTTP surface of the service; it opens nothing. */
export function createApp(dependencies: Dependencies): HttpServer {
  const { database, logger, verifyIdentityToken, checks = {}, isOverloaded } = dependencies;
  const app = createHttpServer({ logger, verifyIdentityToken, checks, idempotency: database.em, isOverloaded });
  serveReferrals(app, dependencies);
  return app;
}
