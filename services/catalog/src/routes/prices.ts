import { catalogOperations as operations } from '@billing/contracts/operations/catalog';
import { paginate } from '@billing/contracts/pagination';
import type { Price as WirePrice } from '@billing/contracts/resources/price';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createPrice } from '#operations/create-price.ts';
import { deletePrice } from '#operations/delete-price.ts';
import { findPrice, type ListedPrice } from '#operations/find-price.ts';
import { listPrices } from '#operations/list-prices.ts';
import { updatePrice } from '#operations/update-price.ts';
import type { Dependencies } from '../app.ts';

/** What may be asked about prices. */
export function priceRoutes(app: HttpServer, { database: { em }, journal }: Dependencies): void {
  const create = createPrice(em, journal);
  const update = updatePrice(em, journal);
  const remove = deletePrice(em, journal);

  serve(app, operations.listPrices, async ({ params, query }) => {
    const [prices, total] = await listPrices(em.fork(), params, query);
    return { prices: prices.map(onWire), pagination: paginate(query, prices.length, total) };
  });

  serve(app, operations.createPrice, async ({ params, body, operationKey }) => ({
    price: onWire(await create(params, body, operationKey ?? null)),
  }));

  serve(app, operations.getPrice, async ({ params: { priceId, ...scope } }) =>
    onWire(await findPrice(em.fork(), scope, priceId)),
  );

  serve(app, operations.updatePrice, async ({ params: { priceId, ...scope }, body }) => ({
    price: onWire(await update(scope, priceId, body)),
  }));

  serve(app, operations.deletePrice, async ({ params: { priceId, ...scope } }) => {
    await remove(scope, priceId);
    return { success: true };
  });
}

function onWire(price: ListedPrice): WirePrice {
  const { id, productId, unitAmount, currency, type, interval, intervalCount } = price;
  const { isActive, processorPriceId, metadata, createdAt } = price;
  const period = interval === null ? {} : { interval, intervalCount: intervalCount ?? 1 };
  const terms = { unitAmount, currency, type, ...period };
  return { id, productId, ...terms, isActive, processorPriceId, metadata, createdAt };
}
