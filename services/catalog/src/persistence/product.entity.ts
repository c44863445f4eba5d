import { defineEntity, p } from '@mikro-orm/core';
import type { ProductId } from '@billing/contracts/ids';
import type { Product as ProductResource } from '@billing/contracts/resources/product';
import { mirroredProperties, type Mirrored } from '@billing/service/mirrored-rows';

const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'products',
  uniques: [
    {
      name: 'products_processor_id_unique',
      properties: ['teamId', 'projectId', 'processorId'],
    },
  ],
  indexes: [{ name: 'products_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] }],
  properties: {
    id: p.text().primary().$type<ProductId>(),
    ...mirroredProperties(),
    name: p.text(),
    description: p.text().strictNullable(),
    isActive: p.boolean(),
  },
});

export class Product extends ProductSchema.class {}
ProductSchema.setClass(Product);

/** Returns a product as callers see it. */
export function toResource(product: Mirrored<Product>): ProductResource {
  const { id, name, description, isActive, processorId, metadata, projectId, createdAt } = product;
  const described = description === null ? {} : { description };
  return { id, name, ...described, isActive, processorProductId: processorId, metadata, projectId, createdAt };
}
