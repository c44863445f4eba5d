import type { Consumer } from '@billing/messaging/consumer/consumer';
import { namedProductIds } from '#operations/create-product.ts';
import { mirrorProduct } from '#operations/mirror-record.ts';
import { PRODUCT } from '#operations/record-types.ts';
import { followRecords, type FollowDependencies } from './follow-records.ts';

/** Follows the processor's products. New ones are those that name the project or were read by a sync. */
export function productEvents(dependencies: FollowDependencies): Consumer {
  const { logger } = dependencies;
  return followRecords(PRODUCT, dependencies, {
    namedIds: namedProductIds,
    findForNew: async () => null,
    begin: async (tx, publish) => async event => {
      const { snapshot, scope, fromSync } = event;
      if (fromSync || snapshot.metadata['projectId'] === scope.projectId)
        return mirrorProduct(tx, publish, snapshot, event);
      logger.info({ processorProductId: snapshot.id }, 'product of another project ignored');
      return null;
    },
  });
}
