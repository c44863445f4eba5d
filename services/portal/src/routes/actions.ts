import { portalOperations } from '@billing/contracts/operations/portal';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { admit } from '#operations/admit.ts';
import { scheduleCancellation } from '#operations/schedule-cancellation.ts';
import { startPaymentUpdate } from '#operations/start-payment-update.ts';
import type { Dependencies } from '../app.ts';

/** What a customer may do through the portal's API, let in by the token alone. */
export function serveActions(app: HttpServer, dependencies: Dependencies): void {
  const { database, rpc } = dependencies;
  const admitToken = admit({ em: database.em, rpc });
  const schedule = scheduleCancellation(dependencies);
  const startUpdate = startPaymentUpdate(dependencies);

  serve(app, portalOperations.updatePortalSubscription, async ({ params, body }) => {
    const visitor = await admitToken(params.token);
    const { priceId, ...subscription } = await schedule(visitor, params.subscriptionId, body.cancelAtPeriodEnd);
    return { subscription: { ...subscription, ...(priceId && { priceId }) } };
  });

  serve(app, portalOperations.createPortalSetupSession, async ({ params, reply }) => {
    const { url, cookie } = await startUpdate(await admitToken(params.token));
    reply.header('set-cookie', cookie);
    return { url };
  });
}
