import { defineEntity, p } from '@mikro-orm/core';
import type { ProductId, ProjectId, TeamId } from '@billing/contracts/ids';

const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'products',
  uniques: [
    {
      name: 'products_processor_product_id_unique',
      properties: ['teamId', 'projectId', 'processorProductId'],
    },
  ],
  indexes: [{ name: 'products_by_age', properties: ['teamId', 'projectId', 'createdAt', 'id'] }],
  properties: {
    id: p.text().primary().$type<ProductId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
    description: p.text().strictNullable(),
    isActive: p.boolean(),
    metadata: p.json<Record<string, string>>(),
    /** Null while the product is being created: nobody sees it yet. */
    processorProductId: p.text().strictNullable(),
    /** When the newest event that was taken over happened. */
    processorUpdatedAt: p.datetime().strictNullable(),
    /** We changed it ourselves, and the processor's event about that has not come yet. */
    awaitsEcho: p.boolean(),
    version: p.integer(),
    createdAt: p.datetime(),
    /** A deleted product is kept so that facts and prices stay explainable. */
    deletedAt: p.datetime().strictNullable(),
  },
});

export class Product extends ProductSchema.class {}
ProductSchema.setClass(Product);

/** A product that the processor has too. */
export type MirroredProduct = Product & { processorProductId: string };

export function isMirrored(product: Product | null): product is MirroredProduct {
  return product !== null && product.processorProductId !== null;
}
