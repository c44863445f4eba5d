import { catalogOperations as operations } from '@billing/contracts/operations/catalog';
import { paginate } from '@billing/contracts/pagination';
import type { Product as ProductResource } from '@billing/contracts/resources/product';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createProduct } from '#operations/create-product.ts';
import { deleteProduct } from '#operations/delete-product.ts';
import { listProducts } from '#operations/list-products.ts';
import { updateProduct } from '#operations/update-product.ts';
import { findProduct } from '#persistence/find-product.ts';
import type { MirroredProduct } from '#persistence/product.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of products. */
export function productRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies;
  const list = listProducts(dependencies);
  const create = createProduct(dependencies);
  const update = updateProduct(dependencies);
  const remove = deleteProduct(dependencies);

  return app => {
    serve(app, operations.listProducts, async ({ params, query }) => {
      const [products, total] = await list(params, query);
      return { products: products.map(toResource), pagination: paginate(query, products.length, total) };
    });

    serve(app, operations.createProduct, async ({ params, body, audit, operationKey }) => ({
      product: toResource(await create(params, body, audit, operationKey)),
    }));

    serve(app, operations.getProduct, async ({ params: { productId, ...scope } }) =>
      toResource(await findProduct(em.fork(), scope, productId)),
    );

    serve(app, operations.updateProduct, async ({ params: { productId, ...scope }, body, audit }) => ({
      product: toResource(await update(scope, productId, body, audit)),
    }));

    serve(app, operations.deleteProduct, async ({ params: { productId, ...scope }, audit }) => {
      await remove(scope, productId, audit);
      return { success: true };
    });
  };
}

function toResource(product: MirroredProduct): ProductResource {
  const { id, name, description, isActive, processorProductId, metadata, projectId, createdAt } = product;
  const described = description === null ? {} : { description };
  return { id, name, ...described, isActive, processorProductId, metadata, projectId, createdAt };
}
