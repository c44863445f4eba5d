import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { PriceId, ProductId, ProjectId } from '../ids.ts';
import { BILLING_SCHEMES, INTERVALS, PRICE_TYPES } from '../resources/price.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';

/** A product's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const productState = z.object({
  id: ProductId.schema,
  projectId: ProjectId.schema,
  name: z.string(),
  isActive: z.boolean(),
  processorProductId: z.string(),
  version,
  createdAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type ProductState = z.output<typeof productState>;

/** A price's whole state, versioned like a product's. `unitAmount` is null for tiered and fractional prices. */
export const priceState = z.object({
  id: PriceId.schema,
  projectId: ProjectId.schema,
  productId: ProductId.schema,
  unitAmount: z.int().nullable(),
  /** The same as decimal text, which may have fractions of the smallest unit; null for a tiered price. */
  unitAmountDecimal: z.string().nullable(),
  billingScheme: z.enum(BILLING_SCHEMES),
  /** A metered price is billed by usage, not by quantity. */
  metered: z.boolean(),
  currency: z.string(),
  type: z.enum(PRICE_TYPES),
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
  isActive: z.boolean(),
  processorPriceId: z.string(),
  version,
  createdAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type PriceState = z.output<typeof priceState>;

export const ProductCreated = defineEvent('product.created.v1', productState);
export const ProductUpdated = defineEvent('product.updated.v1', productState);
export const ProductDeleted = defineEvent('product.deleted.v1', productState);

export const PriceCreated = defineEvent('price.created.v1', priceState);
export const PriceUpdated = defineEvent('price.updated.v1', priceState);
export const PriceDeleted = defineEvent('price.deleted.v1', priceState);
