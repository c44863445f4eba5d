import { defineEntity, p } from '@mikro-orm/core';
import type { ProductId } from '@billing/contracts/ids';
import { mirroredProperties, processorIdIndex, uniqueProcessorId } from '@billing/service/mirrored-rows';

const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'products',
  uniques: [uniqueProcessorId('products')],
  indexes: [
    processorIdIndex('products'),
    { name: 'products_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'products_by_key', properties: ['teamId', 'projectId', 'key'] },
  ],
  properties: {
    id: p.text().primary().$type<ProductId>(),
    ...mirroredProperties(),
    key: p.text().strictNullable(),
    name: p.text(),
    description: p.text().strictNullable(),
    unitLabel: p.text().strictNullable(),
    taxCode: p.text().strictNullable(),
    isActive: p.boolean(),
  },
});

export class Product extends ProductSchema.class {}
ProductSchema.setClass(Product);
