import { z } from 'zod';
import { PriceId, ProductId } from '../ids.ts';
import { examplePrice, exampleProduct } from '../openapi/examples/catalog.ts';
import { exampleIds, examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pagination, wholeListQuery } from '../pagination.ts';
import { price, priceCreate, priceUpdate } from '../resources/price.ts';
import { product, productCreate, productUpdate } from '../resources/product.ts';
import { booleanText } from '../text.ts';

const service = 'catalog';
const read = projectAccess('products:read');
const write = projectAccess('products:write');
const productParams = projectParams.extend({ productId: ProductId.schema });
const priceParams = projectParams.extend({ priceId: PriceId.schema });
const success = z.object({ success: z.boolean() });
const activeOnly = booleanText.default(true);

export const catalogOperations = {
  listProducts: operation({
    id: 'listProducts',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/products`,
    access: read,
    summary: 'List products, by default only active ones',
    params: projectParams,
    query: z.strictObject({ activeOnly, ...wholeListQuery }),
    status: 200,
    response: z.object({ products: z.array(product), pagination }),
    problems: [],
    example: {
      query: { activeOnly: 'false', limit: '20' },
      response: { products: [exampleProduct], pagination: { ...examplePagination, limit: 20 } },
    },
  }),
  createProduct: operation({
    id: 'createProduct',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/products`,
    access: write,
    summary: 'Create a product here and at the payment processor',
    params: projectParams,
    body: productCreate,
    status: 201,
    response: z.object({ product }),
    problems: ['processor_not_connected', 'processor_error'],
    example: {
      body: { name: 'Pro', description: 'Everything, for one team', metadata: { tier: 'pro' } },
      response: { product: exampleProduct },
    },
  }),
  getProduct: operation({
    id: 'getProduct',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/products/:productId`,
    access: read,
    summary: 'Get a product',
    params: productParams,
    status: 200,
    response: product,
    problems: ['product_not_found'],
    example: { response: exampleProduct },
  }),
  updateProduct: operation({
    id: 'updateProduct',
    service,
    method: 'PATCH',
    path: `${PROJECT_PATH}/products/:productId`,
    access: write,
    summary: 'Update a product',
    params: productParams,
    body: productUpdate,
    status: 200,
    response: z.object({ product }),
    problems: ['product_not_found', 'processor_not_connected', 'processor_error'],
    example: { body: { name: 'Pro Plus' }, response: { product: { ...exampleProduct, name: 'Pro Plus' } } },
  }),
  deleteProduct: operation({
    id: 'deleteProduct',
    service,
    method: 'DELETE',
    path: `${PROJECT_PATH}/products/:productId`,
    access: write,
    summary: 'Archive a product at the payment processor and delete it here',
    params: productParams,
    status: 200,
    response: success,
    problems: ['product_not_found', 'processor_not_connected', 'processor_error'],
    example: { response: { success: true } },
  }),
  listPrices: operation({
    id: 'listPrices',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/prices`,
    access: read,
    summary: 'List prices, by default only active ones',
    params: projectParams,
    query: z.strictObject({ activeOnly, productId: ProductId.schema.optional(), ...wholeListQuery }),
    status: 200,
    response: z.object({ prices: z.array(price), pagination }),
    problems: [],
    example: {
      query: { productId: exampleIds.product },
      response: { prices: [examplePrice], pagination: { ...examplePagination, limit: 1_000 } },
    },
  }),
  createPrice: operation({
    id: 'createPrice',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/prices`,
    access: write,
    summary: 'Create a price of a product, here and at the payment processor',
    params: projectParams,
    body: priceCreate,
    status: 201,
    response: z.object({ price }),
    problems: ['product_not_found', 'product_inactive', 'processor_not_connected', 'processor_error'],
    example: {
      body: { productId: exampleIds.product, unitAmount: 2999, currency: 'usd', interval: 'month' },
      response: { price: examplePrice },
    },
  }),
  getPrice: operation({
    id: 'getPrice',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/prices/:priceId`,
    access: read,
    summary: 'Get a price',
    params: priceParams,
    status: 200,
    response: price,
    problems: ['price_not_found'],
    example: { response: examplePrice },
  }),
  updatePrice: operation({
    id: 'updatePrice',
    service,
    method: 'PATCH',
    path: `${PROJECT_PATH}/prices/:priceId`,
    access: write,
    summary: 'Activate or deactivate a price, or replace its metadata',
    params: priceParams,
    body: priceUpdate,
    status: 200,
    response: z.object({ price }),
    problems: ['price_not_found', 'processor_not_connected', 'processor_error'],
    example: { body: { isActive: false }, response: { price: { ...examplePrice, isActive: false } } },
  }),
  deletePrice: operation({
    id: 'deletePrice',
    service,
    method: 'DELETE',
    path: `${PROJECT_PATH}/prices/:priceId`,
    access: write,
    summary: 'Deactivate a price at the payment processor and delete it here; subscriptions that use it continue',
    params: priceParams,
    status: 200,
    response: success,
    problems: ['price_not_found', 'processor_not_connected', 'processor_error'],
    example: { response: { success: true } },
  }),
};
