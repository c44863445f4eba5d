import { defineService } from '@billing/service/definition';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { processorEnv, serviceEnv } from '@billing/service/env';
import { couponEvents } from './consumers/coupons.ts';
import { priceEvents } from './consumers/prices.ts';
import { productEvents } from './consumers/products.ts';
import { promotionCodeEvents } from './consumers/promotion-codes.ts';
import { openCatalogOperationLog } from './operations/open-operation-log.ts';
import { catalogSchema } from './persistence/schema.ts';
import { discountRoutes } from './routes/discounts.ts';
import { featureRoutes } from './routes/features.ts';
import { priceRoutes } from './routes/prices.ts';
import { productRoutes } from './routes/products.ts';
import { catalogRpc } from './rpc/catalog.ts';

/** The parts of the catalog; the chassis runs them. */
export const catalogService = () =>
  defineService({
    name: 'catalog',
    env: serviceEnv.extend(processorEnv.shape),
    database: catalogSchema,
    parts: ({ em, outbox, processors, rpc, now, logger }) => {
      const operationLog = openCatalogOperationLog({ outbox, processors, logger, now });
      const dependencies = { em, outbox, operationLog, processors, rpc, now };
      const follow = { em, processors, rpc, now, logger };
      return {
        consumers: [productEvents(follow), priceEvents(follow), couponEvents(follow), promotionCodeEvents(follow)],
        rpc: catalogRpc(dependencies),
        jobs: [() => startReconciler({ operationLog, logger })],
        cleaning: [() => deleteCanceledOperations(em)],
        purge: {
          tables: ['remote_operations', 'product_features', 'prices', 'products', 'promotion_codes', 'coupons'],
          kept: ['features', 'account_fences'],
        },
        routes: [
          productRoutes(dependencies),
          priceRoutes(dependencies),
          featureRoutes(dependencies),
          discountRoutes(dependencies),
        ],
      };
    },
  });
