import type { Asking } from '@billing/messaging/ask';
import type { Database } from '@billing/service-kit/database';
import type { Checks } from '@billing/service-kit/health';
import { createHttpServer, type HttpServer } from '@billing/service-kit/http';
import type { VerifyStatement } from '@billing/service-kit/principal';
import type { FastifyBaseLogger } from 'fastify';
import { serveAnalytics } from './routes/analytics.ts';

export interface Dependencies {
  readonly database: Database;
  readonly asking: Asking;
  readonly logger: FastifyBaseLogger;
  readonly verifyStatement: VerifyStatement;
  /** Tells now. */
  readonly clock: () => Date;
  readonly checks?: Checks;
}

/** The whole HTTP surface of the service; it opens nothing. */
export function createApp(dependencies: Dependencies): HttpServer {
  const { logger, verifyStatement, checks = {} } = dependencies;
  const app = createHttpServer({ logger, verifyStatement, checks });
  serveAnalytics(app, dependencies);
  return app;
}
