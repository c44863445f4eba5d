import type { RpcClient } from '@billing/messaging/rpc';
import type { Database } from '@billing/service/database';
import type { Checks } from '@billing/service/health';
import { createHttpServer, type HttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { FastifyBaseLogger } from 'fastify';
import { serveAnalytics } from './routes/analytics.ts';

export interface Dependencies {
  readonly database: Database;
  readonly rpc: RpcClient;
  readonly logger: FastifyBaseLogger;
  readonly verifyIdentityToken: VerifyIdentityToken;
  /** Tells now. */
  readonly clock: () => Date;
  readonly checks?: Checks;
}

/** The whole HTTP surface of the service; it opens nothing. */
export function createApp(dependencies: Dependencies): HttpServer {
  const { logger, verifyIdentityToken, checks = {} } = dependencies;
  const app = createHttpServer({ logger, verifyIdentityToken, checks });
  serveAnalytics(app, dependencies);
  return app;
}
