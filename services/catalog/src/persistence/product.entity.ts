import { defineEntity, p } from '@mikro-orm/core';
import type { ProductId, ProjectId, TeamId } from '@billing/contracts/ids';

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
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
    description: p.text().strictNullable(),
    isActive: p.boolean(),
    metadata: p.json<Record<string, string>>(),
    /** Null while the product is being created: it is not shown yet. */
    processorId: p.text().strictNullable(),
    /** When the newest event happened that the row includes. */
    processorUpdatedAt: p.datetime().strictNullable(),
    /** We changed it ourselves, and the webhook event about that has not come back. */
    awaitsWebhook: p.boolean(),
    version: p.integer(),
    createdAt: p.datetime(),
    /** The row of a deleted product stays, for its prices and for events that come late. */
    deletedAt: p.datetime().strictNullable(),
  },
});

export class Product extends ProductSchema.class {}
ProductSchema.setClass(Product);
