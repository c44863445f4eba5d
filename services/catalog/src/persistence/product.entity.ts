import { defineEntity, p } from '@mikro-orm/core';
import type { ProductId } from '@billing/contracts/ids';
import { mirroredProperties } from '@billing/service/mirrored-rows';

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
