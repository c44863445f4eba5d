import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { findSubscription } from '#operations/find-subscription.ts';
import { listSubscriptions } from '#operations/list-subscriptions.ts';
import { cancelNow, scheduleCancellation } from '#operations/order-cancellation.ts';
import { toResource } from '#wire/subscription.ts';
import type { Dependencies } from '../dependencies.ts';

/** Subscriptions: read, cancel, resume. */
export function serveSubscriptions(app: HttpServer, dependencies: Dependencies): void {
  const { em } = dependencies;
  const schedule = scheduleCancellation(dependencies);
  const cancel = cancelNow(dependencies);

  serve(app, operations.listSubscriptions, async ({ params, query }) => {
    const { subscriptions, pagination } = await listSubscriptions(em.fork(), params, query);
    return { subscriptions: subscriptions.map(toResource), pagination };
  });
  serve(app, operations.getSubscription, async ({ params: { subscriptionId: id, ...scope } }) => ({
    subscription: toResource(await findSubscription(em.fork(), scope, { id })),
  }));
  serve(app, operations.updateSubscription, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
    subscription: toResource(await schedule(scope, { id }, body.cancelAtPeriodEnd)),
  }));
  serve(app, operations.cancelSubscription, async ({ params: { subscriptionId: id, ...scope } }) => {
    await cancel(scope, { id });
    return { subscription: { id, status: 'canceled' as const, cancelAtPeriodEnd: false as const } };
  });
}
