import { catalogOperations as operations } from '@billing/contracts/operations/catalog';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { changePrice } from '#operations/change-price.ts';
import { createPrice } from '#operations/create-price.ts';
import { deletePrice } from '#operations/delete-record.ts';
import { PRICE } from '#operations/record-types.ts';
import { toResource } from '#domain/price.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of prices. */
export function priceRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies;
  const create = createPrice(dependencies);
  const update = changePrice(dependencies);
  const remove = deletePrice(dependencies);

  return app => {
    serve(app, operations.listPrices, async ({ params, query }) => {
      const wanted = { isActive: query.activeOnly || undefined, productId: query.productId, key: query.key };
      const [prices, pagination] = await PRICE.rows.list(em.fork(), params, query, wanted);
      return { prices: prices.map(toResource), pagination };
    });

    serve(app, operations.createPrice, async ({ params, body, audit, operationKey }) => ({
      price: toResource(await create(params, body, audit, operationKey)),
    }));

    serve(app, operations.getPrice, async ({ params: { priceId, ...scope } }) =>
      toResource(await PRICE.rows.find(em.fork(), scope, priceId)),
    );

    serve(app, operations.updatePrice, async ({ params: { priceId, ...scope }, body, audit }) => ({
      price: toResource(await update(scope, priceId, body, audit)),
    }));

    serve(app, operations.deletePrice, async ({ params: { priceId, ...scope }, audit }) => {
      await remove(scope, priceId, audit);
      return { success: true };
    });
  };
}
