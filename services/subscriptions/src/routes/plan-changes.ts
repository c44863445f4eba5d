import type { Routes } from '@billing/service/definition';
import { planChangeOperations as operations } from '@billing/contracts/operations/plan-changes';
import { serve } from '@billing/service/serve';
import { previewChange } from '#operations/preview-change.ts';
import type { Dependencies } from '../dependencies.ts';

/** Changes of what a subscription bills. */
export function planChangeRoutes(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>): Routes {
  const preview = previewChange(dependencies);

  return app => {
    serve(app, operations.previewPlanChange, async ({ params: { subscriptionId: id, ...scope }, body }) => ({
      preview: await preview(scope, { id }, body),
    }));
  };
}
