import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { ProductId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pagination, wholeListQuery } from '../pagination.ts';
import { wantedCatalogKey as key } from '../resources/catalog-key.ts';
import { price, priceCreate, priceUpdate } from '../resources/price.ts';
import { product, productCreate, productUpdate } from '../resources/product.ts';
import { booleanText } from '../text.ts';

const read = projectAccess('products:read');
const write = projectAccess('products:write');
/** Why a record cannot get a key, or cannot be activated with it. */
const KEY_PROBLEMS = ['catalog_key_set', 'catalog_key_taken'] as const;
const activeOnly = booleanText.default(true).describe('Whether to return only active items.');

export const catalogOperations = declareOperations('catalog', {
  listProducts: {
    route: `GET ${PROJECT_PATH}/products`,
    access: read,
    summary: 'List products, by default only active ones',
    query: z.strictObject({ activeOnly, key, ...wholeListQuery }),
    response: z.object({ products: z.array(product), pagination }),
    example: { query: { activeOnly: 'false', limit: '20' } },
  },
  createProduct: {
    route: `POST ${PROJECT_PATH}/products`,
    access: write,
    summary: 'Create a product here and at the payment processor',
    body: productCreate,
    status: 201,
    response: z.object({ product }),
    problems: ['quota_exceeded', 'catalog_key_taken', 'tax_code_invalid', 'processor_not_connected', 'processor_error'],
  },
  getProduct: {
    route: `GET ${PROJECT_PATH}/products/:productId`,
    access: read,
    summary: 'Get a product',
    response: product,
    problems: ['product_not_found'],
  },
  updateProduct: {
    route: `PATCH ${PROJECT_PATH}/products/:productId`,
    access: write,
    summary: 'Update a product',
    body: productUpdate,
    response: z.object({ product }),
    problems: ['product_not_found', ...KEY_PROBLEMS, 'tax_code_invalid', 'processor_not_connected', 'processor_error'],
    example: { response: { product: { name: 'Pro Plus' } } },
  },
  deleteProduct: {
    route: `DELETE ${PROJECT_PATH}/products/:productId`,
    access: write,
    summary: 'Archive a product at the payment processor and delete it here',
    response: success,
    problems: ['product_not_found', 'processor_not_connected', 'processor_error'],
  },
  listPrices: {
    route: `GET ${PROJECT_PATH}/prices`,
    access: read,
    summary: 'List prices, by default only active ones',
    query: z.strictObject({
      activeOnly,
      productId: ProductId.schema.optional().describe('Only prices of this product.'),
      key,
      ...wholeListQuery,
    }),
    response: z.object({ prices: z.array(price), pagination }),
    example: { query: { productId: ProductId.example } },
  },
  createPrice: {
    route: `POST ${PROJECT_PATH}/prices`,
    access: write,
    summary: 'Create a price of a product, here and at the payment processor',
    body: priceCreate,
    status: 201,
    response: z.object({ price }),
    problems: [
      'quota_exceeded',
      'catalog_key_taken',
      'product_not_found',
      'product_inactive',
      'processor_not_connected',
      'processor_error',
    ],
  },
  getPrice: {
    route: `GET ${PROJECT_PATH}/prices/:priceId`,
    access: read,
    summary: 'Get a price',
    response: price,
    problems: ['price_not_found'],
  },
  updatePrice: {
    route: `PATCH ${PROJECT_PATH}/prices/:priceId`,
    access: write,
    summary:
      'Activate or deactivate a price, add amounts in other currencies, set its tax behavior or its key, or replace its metadata',
    body: priceUpdate,
    response: z.object({ price }),
    problems: [
      'price_not_found',
      ...KEY_PROBLEMS,
      'currency_amount_set',
      'tax_behavior_set',
      'processor_not_connected',
      'processor_error',
    ],
    example: { response: { price: { isActive: false } } },
  },
  deletePrice: {
    route: `DELETE ${PROJECT_PATH}/prices/:priceId`,
    access: write,
    summary: 'Deactivate a price at the payment processor and delete it here; subscriptions that use it continue',
    response: success,
    problems: ['price_not_found', 'processor_not_connected', 'processor_error'],
  },
});
