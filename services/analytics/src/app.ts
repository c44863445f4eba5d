import type { RpcClient } from '@billing/messaging/rpc';
import type { Database } from '@billing/service/database';
import type { Checks } from '@billing/service/health';
import { createHttpServer, type HttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { FastifyBaseLogger } from 'fastify';
import { analyticsRoutes } from './routes/analytics.ts';

export interface Dependencies {
  readonly database: Database;
  readonly rpc: RpcClient;
  readonly logger: FastifyBaseLogger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly now: () => Date;
  readonly checks?: Checks;
}

/** The HTTP surface of the service; it opens nothing. */
export function createApp({ database, rpc, now, logger, verifyIdentityToken, checks = {} }: Dependencies): HttpServer {
  const app = createHttpServer({ logger, verifyIdentityToken, checks });
  analyticsRoutes({ em: database.em, rpc, now })(app);
  return app;
}
