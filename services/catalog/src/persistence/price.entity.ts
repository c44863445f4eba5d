import { defineEntity, p } from '@mikro-orm/core';
import type { PriceId, ProductId } from '@billing/contracts/ids';
import {
  BILLING_SCHEMES,
  INTERVALS,
  PRICE_TYPES,
  showAmount,
  type Price as PriceResource,
} from '@billing/contracts/resources/price';
import { mirroredProperties, type Mirrored } from '@billing/service/mirrored-rows';

const PriceSchema = defineEntity({
  name: 'Price',
  tableName: 'prices',
  uniques: [
    {
      name: 'prices_processor_id_unique',
      properties: ['teamId', 'projectId', 'processorId'],
    },
  ],
  indexes: [
    { name: 'prices_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'prices_by_product', properties: ['productId'] },
  ],
  properties: {
    id: p.text().primary().$type<PriceId>(),
    ...mirroredProperties(),
    productId: p.text().$type<ProductId>(),
    /** In the currency's smallest unit; null where the processor has no single amount (tiers, decimals). */
    unitAmount: p.bigint('number').strictNullable(),
    /** The same as decimal text, which may have fractions of the smallest unit; null for tiers. */
    unitAmountDecimal: p.text().strictNullable(),
    billingScheme: p.enum(BILLING_SCHEMES),
    metered: p.boolean(),
    currency: p.text(),
    type: p.enum(PRICE_TYPES),
    interval: p.enum(INTERVALS).strictNullable(),
    intervalCount: p.integer().strictNullable(),
    isActive: p.boolean(),
  },
});

export class Price extends PriceSchema.class {}
PriceSchema.setClass(Price);

/** Returns a price as callers see it. */
export function toResource(price: Mirrored<Price>): PriceResource {
  const { id, productId, currency, type, interval, intervalCount } = price;
  const { isActive, processorId: processorPriceId, metadata, createdAt } = price;
  const period = interval === null ? {} : { interval, intervalCount: intervalCount ?? 1 };
  const terms = { ...showAmount(price), currency, type, ...period };
  return { id, productId, ...terms, isActive, processorPriceId, metadata, createdAt };
}
