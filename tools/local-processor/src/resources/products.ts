import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint, endpointOn, noParameters, reads } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import {
  boolean,
  created,
  empty,
  expand,
  metadata,
  page,
  parameters,
  text,
  unsettableText,
  url,
} from '../api/parameters.ts';
import { type Changes, defined, type UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { previousAttributes } from '../domain/previous-attributes.ts';
import { isTaxCode } from '../domain/tax-codes.ts';
import { find } from '../objects/finding.ts';
import { nulls } from '../objects/nulls.ts';
import type { DeletedProduct, Product } from '../objects/stored.ts';

const images = z.array(url).max(8);

const createParameters = parameters<Stripe.ProductCreateParams>()({
  active: boolean.optional(),
  description: text(40_000).optional(),
  expand,
  id: text(200).optional(),
  images: images.optional(),
  metadata: metadata.optional(),
  name: text(250),
  statement_descriptor: text(22).optional(),
  tax_code: text().optional(),
  unit_label: text(12).optional(),
  url: url.optional(),
});
const updateParameters = parameters<Stripe.ProductUpdateParams>()({
  active: boolean.optional(),
  default_price: unsettableText().optional(),
  description: unsettableText(40_000).optional(),
  expand,
  images: z.union([empty, images]).optional(),
  metadata: metadata.optional(),
  name: text(250).optional(),
  statement_descriptor: text(22).optional(),
  tax_code: unsettableText().optional(),
  unit_label: unsettableText(12).optional(),
  url: z.union([empty, url]).optional(),
});
const listParameters = parameters<Stripe.ProductListParams>()({
  ...page,
  active: boolean.optional(),
  created,
  ids: z.array(z.string()).optional(),
});

export const productEndpoints = [
  endpoint('POST', '/v1/products', createParameters, createProduct),
  ...reads('product', '/v1/products', listParameters, {
    by: ['active'],
    isListed: ({ id }, { ids }) => !ids || ids.includes(id),
  }),
  endpointOn('product', 'POST', '/v1/products/:id', updateParameters, updateProduct),
  endpointOn('product', 'DELETE', '/v1/products/:id', noParameters, deleteProduct),
];

/** Creates a product. @throws ApiError 400 when its id is taken, or its tax code is unknown */
export function createProduct(unit: UnitOfWork, given: z.output<typeof createParameters>): Product {
  const id = given.id ?? newId('prod_', 14);
  if (find(unit, 'product', id)) throw invalidRequest(`Product already exists: ${id}`, 'id', 'resource_already_exists');
  checkTaxCode(given.tax_code);
  const product: Product = {
    id,
    object: 'product',
    active: given.active ?? true,
    created: unit.now,
    ...nulls('default_price package_dimensions shippable tax_details'),
    tax_code: given.tax_code ?? null,
    description: given.description ?? null,
    images: given.images ?? [],
    livemode: unit.livemode,
    marketing_features: [],
    metadata: mergeMetadata({}, given.metadata),
    name: given.name,
    statement_descriptor: given.statement_descriptor ?? null,
    type: 'service',
    unit_label: given.unit_label ?? null,
    updated: unit.now,
    url: given.url ?? null,
  };
  return unit.create('product', product, 'product.created');
}

function updateProduct(unit: UnitOfWork, product: Product, given: z.output<typeof updateParameters>): Product {
  const { expand: _expand, images: newImages, metadata: pairs, ...fields } = given;
  if (fields.default_price) checkDefaultPrice(unit, product, fields.default_price);
  checkTaxCode(fields.tax_code);
  const changes: Changes<Product> = {
    ...fields,
    images: newImages === null ? [] : newImages,
    metadata: mergeMetadata(product.metadata, pairs),
  };
  const isChanged = previousAttributes(product, { ...product, ...defined(changes) }) !== undefined;
  return isChanged ? unit.update('product', product, { ...changes, updated: unit.now }) : product;
}

function checkDefaultPrice(unit: UnitOfWork, product: Product, priceId: string): void {
  const price = unit.tables.price.get(priceId);
  if (price?.product !== product.id) throw noSuch('price', priceId, 'default_price');
  if (!price.active)
    throw invalidRequest('The price specified is inactive. The default price must be active.', 'default_price');
}

function checkTaxCode(id: string | null | undefined): void {
  if (id && !isTaxCode(id)) throw noSuch('tax code', id, 'tax_code');
}

function deleteProduct(unit: UnitOfWork, product: Product): DeletedProduct {
  const { id } = product;
  if (unit.tables.price.withField('product', id).length > 0)
    throw invalidRequest('This product cannot be deleted because it has one or more user-created prices.', 'id');
  const stub: DeletedProduct = { id, object: 'product', deleted: true };
  unit.tables.product.put(stub);
  unit.emit('product.deleted', product);
  return stub;
}
