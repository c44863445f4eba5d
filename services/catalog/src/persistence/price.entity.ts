import { defineEntity, p } from '@mikro-orm/core';
import type { PriceId, ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import { INTERVALS, PRICE_TYPES } from '@billing/contracts/resources/price';

const PriceSchema = defineEntity({
  name: 'Price',
  tableName: 'prices',
  uniques: [
    {
      name: 'prices_processor_price_id_unique',
      properties: ['teamId', 'projectId', 'processorPriceId'],
    },
  ],
  indexes: [
    { name: 'prices_by_age', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'prices_by_product', properties: ['productId'] },
  ],
  properties: {
    id: p.text().primary().$type<PriceId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    productId: p.text().$type<ProductId>(),
    /** In the currency's smallest unit; null where the processor has no single amount (tiers, decimals). */
    unitAmount: p.bigint('number').strictNullable(),
    currency: p.text(),
    type: p.enum(PRICE_TYPES),
    interval: p.enum(INTERVALS).strictNullable(),
    intervalCount: p.integer().strictNullable(),
    isActive: p.boolean(),
    metadata: p.json<Record<string, string>>(),
    /** Null while the price is being created: nobody sees it yet. */
    processorPriceId: p.text().strictNullable(),
    /** When the newest event that was taken over happened. */
    processorUpdatedAt: p.datetime().strictNullable(),
    /** We changed it ourselves, and the processor's event about that has not come yet. */
    awaitsEcho: p.boolean(),
    version: p.integer(),
    createdAt: p.datetime(),
    /** A deleted price is kept so that live subscriptions stay explainable. */
    deletedAt: p.datetime().strictNullable(),
  },
});

export class Price extends PriceSchema.class {}
PriceSchema.setClass(Price);

/** A price that the processor has too. */
export type MirroredPrice = Price & { processorPriceId: string };

export function isMirrored(price: Price | null): price is MirroredPrice {
  return price !== null && price.processorPriceId !== null;
}
