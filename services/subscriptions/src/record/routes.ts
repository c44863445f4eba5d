import type { Routes } from '@billing/service/definition';
import { subscriptionsOperations as operations } from '@billing/contracts/operations/subscriptions';
import { cancellationOf } from '@billing/contracts/resources/cancellation';
import { subscriptionCancel } from '@billing/contracts/resources/subscription-cancel';
import { subscriptionPauseCreate } from '@billing/contracts/resources/subscription-pause';
import type { subscriptionPatch } from '@billing/contracts/resources/subscription';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ProjectScope } from '@billing/contracts/ids';
import type { z } from 'zod';
import { setTrialEnd } from '#plan-changes/set-trial-end';
import { serve } from '@billing/service/serve';
import type { Dependencies } from '../dependencies.ts';
import { cancelNow } from './cancel-now.ts';
import { pauseCollection } from './pause-collection.ts';
import { previewCancellation } from './preview-cancellation.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { scheduleCancellation } from './schedule-cancellation.ts';
import { setTax } from './set-tax.ts';
import { findSubscription, type SubscriptionKey } from './subscription-rows.ts';
import { toResource } from './subscription.entity.ts';

/** How a request without a body cancels. */
const PLAINLY = subscriptionCancel.parse({});

/** How a request without a body pauses. */
const UNTIL_RESUMED = subscriptionPauseCreate.parse({});

/** Subscriptions: list, get, cancel, pause. */
export function subscriptionRoutes(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const { em } = dependencies;
  const list = listSubscriptions(dependencies);
  const schedule = scheduleCancellation(dependencies);
  const cancel = cancelNow(dependencies);
  const previewCancel = previewCancellation(dependencies);
  const tax = setTax(dependencies);
  const moveTrial = setTrialEnd(dependencies);
  const pause = pauseCollection(dependencies);

  const update = (
    scope: ProjectScope,
    key: SubscriptionKey,
    { cancelAtPeriodEnd = false, trialEnd, expectedAmountDue, ...said }: z.output<typeof subscriptionPatch>,
    audit: AuditContext,
  ) =>
    trialEnd === undefined
      ? schedule(scope, key, { cancelAtPeriodEnd, cancellation: cancellationOf(said) }, audit)
      : moveTrial(scope, key, { trialEnd, expectedAmountDue }, audit);

  return app => {
    serve(app, operations.listSubscriptions, async ({ params, query }) => {
      const { subscriptions, pagination } = await list(params, query);
      return { subscriptions: subscriptions.map(toResource), pagination };
    });
    serve(app, operations.getSubscription, async ({ params: { subscriptionId: id, ...scope } }) => ({
      subscription: toResource(await findSubscription(em.fork(), scope, { id })),
    }));
    serve(app, operations.updateSubscription, async ({ params: { subscriptionId: id, ...scope }, body, audit }) => ({
      subscription: toResource(await update(scope, { id }, body, audit)),
    }));
    serve(app, operations.setSubscriptionTax, async ({ params: { subscriptionId: id, ...scope }, body, audit }) => ({
      subscription: toResource(await tax(scope, id, body.automatic, audit)),
    }));
    serve(
      app,
      operations.pauseSubscription,
      async ({ params: { subscriptionId: id, ...scope }, body, audit, operationKey }) => ({
        subscription: toResource(await pause(scope, { id }, body ?? UNTIL_RESUMED, audit, operationKey)),
      }),
    );
    serve(app, operations.cancelSubscription, async ({ params: { subscriptionId: id, ...scope }, body, audit }) => {
      const { invoices } = await cancel(scope, { id }, body ?? PLAINLY, audit);
      return { subscription: { id, status: 'canceled' as const, cancelAtPeriodEnd: false as const }, invoices };
    });
    serve(app, operations.previewCancellation, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
      preview: await previewCancel(scope, { id }, body ?? PLAINLY),
    }));
  };
}
