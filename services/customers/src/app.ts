import type { Checks } from '@billing/service/health';
import { createHttpServer, type HttpServer } from '@billing/service/http';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { FastifyBaseLogger } from 'fastify';
import type { Dependencies } from './dependencies.ts';
import { customerRoutes } from './routes/customers.ts';

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
  customerRoutes(dependencies)(app);
  return app;
}
