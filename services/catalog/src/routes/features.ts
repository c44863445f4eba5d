import { featureOperations as operations } from '@billing/contracts/operations/features';
import { findNewest } from '@billing/database/find-newest';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createFeature, findFeature, updateFeature } from '#operations/change-features.ts';
import {
  findProductFeature,
  listAllProductFeatures,
  listProductFeatures,
  removeProductFeature,
  setProductFeature,
} from '#operations/change-product-features.ts';
import { Feature, toFeature } from '#persistence/feature.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of features, and of what products and prices give of them. */
export function featureRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies;
  const [create, update] = [createFeature(dependencies), updateFeature(dependencies)];
  const [set, remove] = [setProductFeature(dependencies), removeProductFeature(dependencies)];

  return app => {
    serve(app, operations.createFeature, async ({ params, body, audit, operationKey }) => ({
      feature: toFeature(await create(params, body, audit, operationKey)),
    }));
    serve(app, operations.listFeatures, async ({ params: { teamId, projectId }, query }) => {
      const [features, pagination] = await findNewest(em.fork(), Feature, { teamId, projectId }, query);
      return { features: features.map(toFeature), pagination };
    });
    serve(app, operations.getFeature, async ({ params: { featureKey, ...scope } }) => ({
      feature: toFeature(await findFeature(em.fork(), scope, featureKey)),
    }));
    serve(app, operations.updateFeature, async ({ params: { featureKey, ...scope }, body, audit }) => ({
      feature: toFeature(await update(scope, featureKey, body, audit)),
    }));

    serve(app, operations.listGivenFeatures, ({ params, query }) => listAllProductFeatures(em.fork(), params, query));
    serve(app, operations.listProductFeatures, async ({ params: { productId: id, ...scope } }) => ({
      productFeatures: await listProductFeatures(em.fork(), scope, { type: 'product', id }),
    }));
    serve(app, operations.getProductFeature, async ({ params: { productId: id, featureKey, ...scope } }) => ({
      productFeature: await findProductFeature(em.fork(), scope, { type: 'product', id }, featureKey),
    }));
    serve(app, operations.setProductFeature, async ({ params, body, audit }) => {
      const { productId: id, featureKey, ...scope } = params;
      return { productFeature: await set(scope, { type: 'product', id }, featureKey, body, audit) };
    });
    serve(app, operations.removeProductFeature, async ({ params: { productId: id, featureKey, ...scope }, audit }) => {
      await remove(scope, { type: 'product', id }, featureKey, audit);
      return { success: true };
    });

    serve(app, operations.listPriceFeatures, async ({ params: { priceId: id, ...scope } }) => ({
      productFeatures: await listProductFeatures(em.fork(), scope, { type: 'price', id }),
    }));
    serve(app, operations.getPriceFeature, async ({ params: { priceId: id, featureKey, ...scope } }) => ({
      productFeature: await findProductFeature(em.fork(), scope, { type: 'price', id }, featureKey),
    }));
    serve(app, operations.setPriceFeature, async ({ params, body, audit }) => {
      const { priceId: id, featureKey, ...scope } = params;
      return { productFeature: await set(scope, { type: 'price', id }, featureKey, body, audit) };
    });
    serve(app, operations.removePriceFeature, async ({ params: { priceId: id, featureKey, ...scope }, audit }) => {
      await remove(scope, { type: 'price', id }, featureKey, audit);
      return { success: true };
    });
  };
}
