import type { Routes } from '@billing/service/definition';
import { planChangeOperations as operations } from '@billing/contracts/operations/plan-changes';
import { serve } from '@billing/service/serve';
import { changePlan } from '#operations/change-plan.ts';
import { dropPlanChange } from '#operations/drop-plan-change.ts';
import { previewChange } from '#operations/preview-change.ts';
import { toResource as toInvoice } from '#persistence/invoice.entity.ts';
import { setDiscount } from '#operations/set-discount.ts';
import { toResource } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Changes of what a subscription bills. */
export function planChangeRoutes(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): Routes {
  const preview = previewChange(dependencies);
  const change = changePlan(dependencies);
  const drop = dropPlanChange(dependencies);
  const set = setDiscount(dependencies);

  return app => {
    serve(app, operations.previewPlanChange, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
      preview: await preview(scope, { id }, body),
    }));
    serve(app, operations.changePlan, async ({ params, body, audit, operationKey, reply }) => {
      const { subscriptionId: id, ...scope } = params;
      const made = await change(scope, { id }, body, audit, operationKey);
      if (made.change.status === 'pending_payment') reply.code(202);
      return {
        change: made.change,
        invoice: made.invoice && toInvoice(made.invoice),
        subscription: toResource(made.subscription),
      };
    });
    serve(app, operations.dropPlanChange, async ({ params: { subscriptionId: id, ...scope }, audit }) => ({
      subscription: toResource(await drop(scope, { id }, audit)),
    }));
    serve(
      app,
      operations.setSubscriptionDiscount,
      async ({ params: { subscriptionId: id, ...scope }, body: { promotionCode }, audit }) => ({
        subscription: toResource(await set(scope, { id }, promotionCode, audit)),
      }),
    );
  };
}
