import type { Checks } from '@billing/service/health';
import { createHttpServer, type HttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { FastifyBaseLogger } from 'fastify';
import type { Dependencies } from './dependencies.ts';
import { priceRoutes } from './routes/prices.ts';
import { productRoutes } from './routes/products.ts';

interface AppDependencies extends Dependencies {
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly logger: FastifyBaseLogger;
  readonly checks?: Checks;
  /** When true, only GET and HEAD are served; other methods get 503. */
  readonly isOverloaded?: IsOverloaded;
}

/** Creates the HTTP surface; it opens nothing. */
export function createApp(dependencies: AppDependencies): HttpServer {
  const app = createHttpServer({ ...dependencies, idempotency: dependencies.em });
  productRoutes(dependencies)(app);
  priceRoutes(dependencies)(app);
  return app;
}
