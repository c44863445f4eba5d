import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { startCheckout } from '#operations/start-checkout.ts';
import type { Dependencies } from '../dependencies.ts';

/** Hosted checkout sessions. */
export function serveCheckout(app: HttpServer, dependencies: Dependencies): void {
  const start = startCheckout(dependencies);
  serve(app, operations.createCheckout, ({ params, body, operationKey }) => start(params, body, operationKey));
}
