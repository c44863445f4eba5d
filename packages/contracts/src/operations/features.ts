import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { ProductId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import {
  feature,
  featureCreate,
  featureKey,
  featureUpdate,
  grant,
  grantSet,
  productFeature,
  productFeatureSet,
} from '../resources/feature.ts';

const read = projectAccess('products:read');
const write = projectAccess('products:write');
const FEATURE = `${PROJECT_PATH}/features/:featureKey` as const;
const OF_PRODUCT = `${PROJECT_PATH}/products/:productId/features` as const;
const OF_PRICE = `${PROJECT_PATH}/prices/:priceId/features` as const;

const given = z.object({ productFeature });
const givenList = z.object({ productFeatures: z.array(productFeature) });

export const featureOperations = declareOperations('catalog', {
  createFeature: {
    route: `POST ${PROJECT_PATH}/features`,
    access: write,
    summary: 'Define a feature that products give',
    body: featureCreate,
    status: 201,
    response: z.object({ feature }),
    problems: ['feature_key_taken', 'quota_exceeded'],
  },
  listFeatures: {
    route: `GET ${PROJECT_PATH}/features`,
    access: read,
    summary: 'List features, newest first',
    query: z.strictObject(pageQuery),
    response: z.object({ features: z.array(feature), pagination }),
  },
  getFeature: {
    route: `GET ${FEATURE}`,
    access: read,
    summary: 'Get a feature',
    response: z.object({ feature }),
    problems: ['feature_not_found'],
  },
  updateFeature: {
    route: `PATCH ${FEATURE}`,
    access: write,
    summary: 'Rename, activate or deactivate a feature',
    body: featureUpdate,
    response: z.object({ feature }),
    problems: ['feature_not_found'],
  },
  listGivenFeatures: {
    route: `GET ${PROJECT_PATH}/product-features`,
    access: read,
    summary: 'List what products and prices give, newest first',
    query: z.strictObject({
      ...pageQuery,
      featureKey: featureKey.optional().describe('Only what gives this feature.'),
      productId: ProductId.schema.optional().describe('Only what this product and its prices give.'),
    }),
    response: z.object({ productFeatures: z.array(productFeature), pagination }),
  },
  listProductFeatures: {
    route: `GET ${OF_PRODUCT}`,
    access: read,
    summary: 'List what a product gives',
    response: givenList,
    problems: ['product_not_found'],
  },
  getProductFeature: {
    route: `GET ${OF_PRODUCT}/:featureKey`,
    access: read,
    summary: 'Get what a product gives of a feature',
    response: given,
    problems: ['product_not_found', 'feature_not_found'],
  },
  setProductFeature: {
    route: `PUT ${OF_PRODUCT}/:featureKey`,
    access: write,
    summary: 'Set what a product gives of a feature',
    body: productFeatureSet,
    response: given,
    problems: ['product_not_found', 'feature_not_found', 'feature_value_invalid'],
  },
  removeProductFeature: {
    route: `DELETE ${OF_PRODUCT}/:featureKey`,
    access: write,
    summary: 'Let a product give a feature no longer',
    response: success,
    problems: ['product_not_found', 'feature_not_found'],
  },
  listPriceFeatures: {
    route: `GET ${OF_PRICE}`,
    access: read,
    summary: 'List what a price gives instead of its product',
    response: givenList,
    problems: ['price_not_found'],
  },
  getPriceFeature: {
    route: `GET ${OF_PRICE}/:featureKey`,
    access: read,
    summary: 'Get what a price gives of a feature instead of its product',
    response: given,
    problems: ['price_not_found', 'feature_not_found'],
  },
  setPriceFeature: {
    route: `PUT ${OF_PRICE}/:featureKey`,
    access: write,
    summary: 'Set what a price gives of a feature instead of its product',
    body: productFeatureSet,
    response: given,
    problems: ['price_not_found', 'feature_not_found', 'feature_value_invalid'],
  },
  removePriceFeature: {
    route: `DELETE ${OF_PRICE}/:featureKey`,
    access: write,
    summary: 'Let a price give what its product gives',
    response: success,
    problems: ['price_not_found', 'feature_not_found'],
  },
});

const GRANTS = `${PROJECT_PATH}/customers/:customerId/grants` as const;
const readCustomers = projectAccess('customers:read');
const writeCustomers = projectAccess('customers:write');

export const grantOperations = declareOperations('customers', {
  listGrants: {
    route: `GET ${GRANTS}`,
    access: readCustomers,
    summary: 'List what was given to a customer, also what has expired',
    response: z.object({ grants: z.array(grant) }),
    problems: ['customer_not_found'],
  },
  getGrant: {
    route: `GET ${GRANTS}/:featureKey`,
    access: readCustomers,
    summary: 'Get what was given to a customer of a feature',
    response: z.object({ grant }),
    problems: ['customer_not_found', 'feature_not_found'],
  },
  setGrant: {
    route: `PUT ${GRANTS}/:featureKey`,
    access: writeCustomers,
    summary: 'Give a customer a feature, whatever the customer has bought',
    body: grantSet,
    response: z.object({ grant }),
    problems: ['customer_not_found', 'feature_not_found', 'feature_value_invalid'],
  },
  removeGrant: {
    route: `DELETE ${GRANTS}/:featureKey`,
    access: writeCustomers,
    summary: 'Take back what was given to a customer of a feature',
    response: success,
    problems: ['customer_not_found', 'feature_not_found'],
  },
});
