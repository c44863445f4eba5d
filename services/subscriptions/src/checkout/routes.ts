import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import type { Dependencies } from '../dependencies.ts';
import { startCheckout } from './start-checkout.ts';

/** Hosted checkout sessions. */
export function checkoutRoutes(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'operationLog' | 'traces' | 'now'>,
): Routes {
  const start = startCheckout(dependencies);
  return app =>
    serve(app, operations.createCheckout, ({ params, body, audit, operationKey }) =>
      start(params, body, audit, operationKey),
    );
}
