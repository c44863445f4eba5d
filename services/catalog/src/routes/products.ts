import { catalogOperations as operations } from '@billing/contracts/operations/catalog';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { createProduct } from '#operations/create-product.ts';
import { deleteProduct } from '#operations/delete-record.ts';
import { PRODUCT } from '#operations/record-types.ts';
import { updateProduct } from '#operations/update-record.ts';
import { toResource } from '#domain/product.ts';
import type { Dependencies } from '../dependencies.ts';

/** The HTTP surface of products. */
export function productRoutes(dependencies: Dependencies): (app: HttpServer) => void {
  const { em } = dependencies;
  const create = createProduct(dependencies);
  const update = updateProduct(dependencies);
  const remove = deleteProduct(dependencies);

  return app => {
    serve(app, operations.listProducts, async ({ params, query }) => {
      const [products, pagination] = await PRODUCT.rows.list(em.fork(), params, query, {
        isActive: query.activeOnly || undefined,
        key: query.key,
      });
      return { products: products.map(toResource), pagination };
    });

    serve(app, operations.createProduct, async ({ params, body, audit, operationKey }) => ({
      product: toResource(await create(params, body, audit, operationKey)),
    }));

    serve(app, operations.getProduct, async ({ params: { productId, ...scope } }) =>
      toResource(await PRODUCT.rows.find(em.fork(), scope, productId)),
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
