import { defineEntity, p } from '@mikro-orm/core';
import type { PriceId, ProductId } from '@billing/contracts/ids';
import {
  BILLING_SCHEMES,
  INTERVALS,
  PRICE_TYPES,
  TAX_BEHAVIORS,
  type CurrencyOptions,
} from '@billing/contracts/resources/price';
import { mirroredProperties, processorIdIndex, uniqueProcessorId } from '@billing/service/mirrored-rows';

const PriceSchema = defineEntity({
  name: 'Price',
  tableName: 'prices',
  uniques: [uniqueProcessorId('prices')],
  indexes: [
    processorIdIndex('prices'),
    { name: 'prices_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'prices_by_key', properties: ['teamId', 'projectId', 'key'] },
    { name: 'prices_by_product', properties: ['productId'] },
  ],
  properties: {
    id: p.text().primary().$type<PriceId>(),
    ...mirroredProperties(),
    key: p.text().strictNullable(),
    productId: p.text().$type<ProductId>(),
    /** In the currency's smallest unit; null where the processor has no single amount (tiers, decimals). */
    unitAmount: p.bigint('number').strictNullable(),
    /** The same as decimal text, which may have fractions of the smallest unit; null for tiers. */
    unitAmountDecimal: p.text().strictNullable(),
    billingScheme: p.enum(BILLING_SCHEMES),
    metered: p.boolean(),
    /** The event name of the meter that counts what it bills. */
    meter: p.text().strictNullable(),
    currency: p.text(),
    /** What it costs in other currencies, by currency. */
    currencyOptions: p.json<CurrencyOptions>(),
    type: p.enum(PRICE_TYPES),
    interval: p.enum(INTERVALS).strictNullable(),
    intervalCount: p.bigint('number').strictNullable(),
    taxBehavior: p.enum(TAX_BEHAVIORS),
    isActive: p.boolean(),
  },
});

export class Price extends PriceSchema.class {}
PriceSchema.setClass(Price);
