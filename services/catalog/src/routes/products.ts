import { catalogOperations as operations } from '@billing/contracts/operations/catalog';
import { paginate } from '@billing/contracts/pagination';
import type { Product as WireProduct } from '@billing/contracts/resources/product';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createProduct } from '#operations/create-product.ts';
import { deleteProduct } from '#operations/delete-product.ts';
import { findProduct } from '#operations/find-product.ts';
import { listProducts } from '#operations/list-products.ts';
import { updateProduct } from '#operations/update-product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';
import type { Dependencies } from '../app.ts';

/** What may be asked about products. */
export function productRoutes(app: HttpServer, { database: { em }, journal }: Dependencies): void {
  const create = createProduct(em, journal);
  const update = updateProduct(em, journal);
  const remove = deleteProduct(em, journal);

  serve(app, operations.listProducts, async ({ params, query }) => {
    const [products, total] = await listProducts(em.fork(), params, query);
    return { products: products.map(onWire), pagination: paginate(query, products.length, total) };
  });

  serve(app, operations.createProduct, async ({ params, body, operationKey }) => ({
    product: onWire(await create(params, body, operationKey ?? null)),
  }));

  serve(app, operations.getProduct, async ({ params: { productId, ...scope } }) =>
    onWire(await findProduct(em.fork(), scope, productId)),
  );

  serve(app, operations.updateProduct, async ({ params: { productId, ...scope }, body }) => ({
    product: onWire(await update(scope, productId, body)),
  }));

  serve(app, operations.deleteProduct, async ({ params: { productId, ...scope } }) => {
    await remove(scope, productId);
    return { success: true };
  });
}

function onWire(product: MirroredProduct): WireProduct {
  const { id, name, description, isActive, processorProductId, metadata, projectId, createdAt } = product;
  const described = description === null ? {} : { description };
  return { id, name, ...described, isActive, processorProductId, metadata, projectId, createdAt };
}
