import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { createdWithin, listPage } from '../api/lists.ts';
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
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { isDeleted } from '../objects/customer.ts';
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
  endpoint('GET', '/v1/products', listParameters, listProducts),
  endpoint('GET', '/v1/products/:id', parameters<Stripe.ProductRetrieveParams>()({ expand }), (unit, _, { id }) =>
    existingProduct(unit, id),
  ),
  endpoint('POST', '/v1/products/:id', updateParameters, (unit, given, { id }) => updateProduct(unit, id, given)),
  endpoint('DELETE', '/v1/products/:id', parameters<object>()({}), (unit, _, { id }) => deleteProduct(unit, id)),
];

/** Creates a product. @throws ApiError 400 when its id is taken */
export function createProduct(unit: UnitOfWork, given: z.output<typeof createParameters>): Product {
  const id = given.id ?? newId('prod_', 14);
  if (unit.tables.product.get(id))
    throw invalidRequest(`Product already exists: ${id}`, { code: 'resource_already_exists', param: 'id' });
  const product: Product = {
    id,
    object: 'product',
    active: given.active ?? true,
    created: unit.now,
    default_price: null,
    description: given.description ?? null,
    images: given.images ?? [],
    livemode: unit.livemode,
    marketing_features: [],
    metadata: mergeMetadata({}, given.metadata),
    name: given.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: given.statement_descriptor ?? null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: given.unit_label ?? null,
    updated: unit.now,
    url: given.url ?? null,
  };
  unit.create('product', product);
  unit.emit('product.created', product);
  return product;
}

function updateProduct(unit: UnitOfWork, id: string, given: z.output<typeof updateParameters>): Product {
  const product = existingProduct(unit, id);
  const { default_price: defaultPrice } = given;
  if (defaultPrice) checkDefaultPrice(unit, product, defaultPrice);
  const changes: Partial<Product> = {
    metadata: mergeMetadata(product.metadata, given.metadata),
    ...(given.active === undefined ? {} : { active: given.active }),
    ...(defaultPrice === undefined ? {} : { default_price: defaultPrice }),
    ...(given.description === undefined ? {} : { description: given.description }),
    ...(given.images === undefined ? {} : { images: given.images ?? [] }),
    ...(given.name === undefined ? {} : { name: given.name }),
    ...(given.statement_descriptor === undefined ? {} : { statement_descriptor: given.statement_descriptor }),
    ...(given.unit_label === undefined ? {} : { unit_label: given.unit_label }),
    ...(given.url === undefined ? {} : { url: given.url }),
  };
  const changed = Object.entries(changes).some(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(product, key)),
  );
  return changed ? unit.update('product', product, { ...changes, updated: unit.now }, 'product.updated') : product;
}

function checkDefaultPrice(unit: UnitOfWork, product: Product, priceId: string): void {
  const price = unit.tables.price.get(priceId);
  if (price?.product !== product.id) throw noSuch('price', priceId, 'default_price');
  if (!price.active)
    throw invalidRequest('The price specified is inactive. The default price must be active.', {
      param: 'default_price',
    });
}

function listProducts(unit: UnitOfWork, given: z.output<typeof listParameters>, { url: address }: { url: string }) {
  const { active, ids } = given;
  const rows = unit.tables.product
    .newestFirst()
    .filter((row): row is Product => !isDeleted(row))
    .filter(row => (active === undefined || row.active === active) && (!ids || ids.includes(row.id)))
    .filter(createdWithin(given.created));
  return listPage(rows, given, address, 'product');
}

function deleteProduct(unit: UnitOfWork, id: string): DeletedProduct {
  const product = existingProduct(unit, id);
  if (unit.tables.price.withField('product', id).length > 0)
    throw invalidRequest('This product cannot be deleted because it has one or more user-created prices.', {
      param: 'id',
    });
  const stub: DeletedProduct = { id, object: 'product', deleted: true };
  unit.tables.product.put(stub);
  unit.emit('product.deleted', product);
  return stub;
}

/** Returns the product. @throws ApiError when it does not exist or was deleted */
export function existingProduct(unit: UnitOfWork, id: string, param = 'id'): Product {
  const product = unit.tables.product.get(id);
  if (!product || isDeleted(product)) throw noSuch('product', id, param);
  return product;
}
