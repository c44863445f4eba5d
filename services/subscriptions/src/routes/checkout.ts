import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { serve } from '@billing/service/serve';
import { startCheckout } from '#operations/start-checkout.ts';
import type { Dependencies } from '../dependencies.ts';

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
