import { createHttpServer } from '@billing/service-kit/http';
import type { Checks } from '@billing/service-kit/health';
import type { VerifyStatement } from '@billing/service-kit/principal';
import type { RefusesWrites } from '@billing/service-kit/refused-writes';
import type { Dependencies } from './dependencies.ts';
import { serveCheckout } from './routes/checkout.ts';
import { serveInvoices } from './routes/invoices.ts';
import { serveSubscriptions } from './routes/subscriptions.ts';

interface AppOptions extends Dependencies {
  readonly verifyStatement: VerifyStatement;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly refusesWrites?: RefusesWrites;
}

/** The whole HTTP surface of the service; it opens nothing, so tests build it freely. */
export function createApp({ verifyStatement, checks = {}, refusesWrites, ...dependencies }: AppOptions) {
  const { em: idempotency, logger } = dependencies;
  const app = createHttpServer({ logger, verifyStatement, checks, idempotency, refusesWrites });
  serveSubscriptions(app, dependencies);
  serveCheckout(app, dependencies);
  serveInvoices(app, dependencies);
  return app;
}
