import { catalogOperations as operations } from '@billing/contracts/operations/catalog';
import { paginate } from '@billing/contracts/pagination';
import { showAmount, type Price as PriceResource } from '@billing/contracts/resources/price';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createPrice } from '#operations/create-price.ts';
import { deletePrice } from '#operations/delete-price.ts';
import { listPrices } from '#operations/list-prices.ts';
import { updatePrice } from '#operations/update-price.ts';
import { findPrice } from '#persistence/find-price.ts';
import type { MirroredPrice } from '#persistence/price.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of prices. */
export function priceRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies;
  const list = listPrices(dependencies);
  const create = createPrice(dependencies);
  const update = updatePrice(dependencies);
  const remove = deletePrice(dependencies);

  return app => {
    serve(app, operations.listPrices, async ({ params, query }) => {
      const [prices, total] = await list(params, query);
      return { prices: prices.map(toResource), pagination: paginate(query, prices.length, total) };
    });

    serve(app, operations.createPrice, async ({ params, body, audit, operationKey }) => ({
      price: toResource(await create(params, body, audit, operationKey)),
    }));

    serve(app, operations.getPrice, async ({ params: { priceId, ...scope } }) =>
      toResource(await findPrice(em.fork(), scope, priceId)),
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

function toResource(price: MirroredPrice): PriceResource {
  const { id, productId, currency, type, interval, intervalCount } = price;
  const { isActive, processorPriceId, metadata, createdAt } = price;
  const period = interval === null ? {} : { interval, intervalCount: intervalCount ?? 1 };
  const terms = { ...showAmount(price), currency, type, ...period };
  return { id, productId, ...terms, isActive, processorPriceId, metadata, createdAt };
}
