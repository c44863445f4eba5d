import { createHttpServer, type HttpServer } from '@billing/service-kit/http';
import type { Checks } from '@billing/service-kit/health';
import type { Database } from '@billing/service-kit/database';
import type { VerifyStatement } from '@billing/service-kit/principal';
import type { RefusesWrites } from '@billing/service-kit/refused-writes';
import type { FastifyBaseLogger } from 'fastify';
import type { Journal } from '@billing/processor/journal/write-journal';
import { priceRoutes } from './routes/prices.ts';
import { productRoutes } from './routes/products.ts';

export interface Dependencies {
  readonly database: Database;
  readonly journal: Journal;
  readonly verifyStatement: VerifyStatement;
  readonly logger: FastifyBaseLogger;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly refusesWrites?: RefusesWrites;
}

/** The HTTP surface; it opens nothing. */
export function createApp(dependencies: Dependencies): HttpServer {
  const app = createHttpServer({ ...dependencies, idempotency: dependencies.database.em });
  productRoutes(app, dependencies);
  priceRoutes(app, dependencies);
  return app;
}
