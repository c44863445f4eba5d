import { createHttpServer, type HttpServer } from '@billing/service/http';
import type { Checks } from '@billing/service/health';
import type { Database } from '@billing/service/database';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { FastifyBaseLogger } from 'fastify';
import type { Journal } from '@billing/processor/journal/write-journal';
import { customerRoutes } from './routes/customers.ts';

export interface Dependencies {
  readonly database: Database;
  readonly journal: Journal;
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly logger: FastifyBaseLogger;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly isOverloaded?: IsOverloaded;
}

/** The HTTP surface; it opens nothing. */
export function createApp(dependencies: Dependencies): HttpServer {
  const app = createHttpServer({ ...dependencies, idempotency: dependencies.database.em });
  customerRoutes(app, dependencies);
  return app;
}
