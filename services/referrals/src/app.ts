import type { Asking } from '@billing/messaging/ask';
import type { Database } from '@billing/service-kit/database';
import type { Checks } from '@billing/service-kit/health';
import { createHttpServer, type HttpServer } from '@billing/service-kit/http';
import type { VerifyStatement } from '@billing/service-kit/principal';
import type { RefusesWrites } from '@billing/service-kit/refused-writes';
import type { FastifyBaseLogger } from 'fastify';
import { serveReferrals } from './routes/referrals.ts';

export interface Dependencies {
  readonly database: Database;
  readonly asking: Asking;
  readonly logger: FastifyBaseLogger;
  readonly verifyStatement: VerifyStatement;
  /** Tells now. */
  readonly clock: () => Date;
  /** Draws a random code. */
  readonly newCode?: () => string;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly refusesWrites?: RefusesWrites;
}

/** The whole HTTP surface of the service; it opens nothing. */
export function createApp(dependencies: Dependencies): HttpServer {
  const { database, logger, verifyStatement, checks = {}, refusesWrites } = dependencies;
  const app = createHttpServer({ logger, verifyStatement, checks, idempotency: database.em, refusesWrites });
  serveReferrals(app, dependencies);
  return app;
}
