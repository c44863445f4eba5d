import { createHttpServer } from '@billing/service/http';
import type { Checks } from '@billing/service/health';
import type { VerifyIdentityToken } from '@billing/service/identity-token';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Dependencies } from './dependencies.ts';
import { serveCheckout } from './routes/checkout.ts';
import { serveInvoices } from './routes/invoices.ts';
import { serveSubscriptions } from './routes/subscriptions.ts';

interface AppOptions extends Dependencies {
  readonly verifyIdentityToken: VerifyIdentityToken;
  readonly checks?: Checks;
  /** While it says so, no writes are taken. */
  readonly isOverloaded?: IsOverloaded;
}

/** The whole HTTP surface of the service; it opens nothing, so tests build it freely. */
export function createApp({ verifyIdentityToken, checks = {}, isOverloaded, ...dependencies }: AppOptions) {
  const { em: idempotency, logger } = dependencies;
  const app = createHttpServer({ logger, verifyIdentityToken, checks, idempotency, isOverloaded });
  serveSubscriptions(app, dependencies);
  serveCheckout(app, dependencies);
  serveInvoices(app, dependencies);
  return app;
}
