import { z } from 'zod';
import { PriceId, ProductId, ProjectId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import {
  BILLING_SCHEMES,
  INTERVALS,
  PRICE_TYPES,
  showAmount,
  storedOptions,
  TAX_BEHAVIORS,
  type Price,
} from '../resources/price.ts';
import { productTexts, type Product } from '../resources/product.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';
import { defineRecordEvent } from './record-event.ts';

/** Events of earlier versions have none. */
const key = z.string().nullable().default(null);

/** A product's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const productState = z.object({
  id: ProductId.schema,
  projectId: ProjectId.schema,
  key,
  ...productTexts.shape,
  taxCode: productTexts.shape.taxCode.default(null),
  isActive: z.boolean(),
  processorProductId: z.string(),
  metadata: storedMetadata,
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
  key,
  unitAmount: z.int().nullable(),
  /** The same as decimal text, which may have fractions of the smallest unit; null for a tiered price. */
  unitAmountDecimal: z.string().nullable(),
  billingScheme: z.enum(BILLING_SCHEMES),
  /** A metered price is billed by usage, not by quantity. */
  metered: z.boolean(),
  /** The event name of the meter that counts what it bills; null also for a metered price of which it is not known. */
  meter: z.string().nullable().default(null),
  currency: z.string(),
  currencyOptions: storedOptions.default({}),
  type: z.enum(PRICE_TYPES),
  interval: z.enum(INTERVALS).nullable(),
  intervalCount: z.int().nullable(),
  taxBehavior: z.enum(TAX_BEHAVIORS).default('unspecified'),
  isActive: z.boolean(),
  processorPriceId: z.string(),
  metadata: storedMetadata,
  version,
  createdAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type PriceState = z.output<typeof priceState>;

/** Returns a product as its GET does: without the texts that it lacks. */
export function productOf({ version: _version, deletedAt: _deletedAt, ...rest }: ProductState): Product {
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as Product; // only a text that may be absent is null
}

/** Returns a price as its GET does. */
export function priceOf(state: PriceState): Price {
  const { id, productId, currency, currencyOptions, type, interval, intervalCount } = state;
  const { taxBehavior, isActive, processorPriceId, metadata, createdAt } = state;
  const period = interval === null ? {} : { interval, intervalCount: intervalCount ?? 1 };
  const usage = state.meter === null ? {} : { meter: state.meter };
  const terms = { ...showAmount(state), currency, currencyOptions, type, ...period, ...usage };
  const named = state.key === null ? {} : { key: state.key };
  return { id, productId, ...named, ...terms, taxBehavior, isActive, processorPriceId, metadata, createdAt };
}

export const ProductCreated = defineRecordEvent('product.created', productState);
export const ProductUpdated = defineRecordEvent('product.updated', productState);
export const ProductDeleted = defineRecordEvent('product.deleted', productState);

export const PriceCreated = defineRecordEvent('price.created', priceState);
export const PriceUpdated = defineRecordEvent('price.updated', priceState);
export const PriceDeleted = defineRecordEvent('price.deleted', priceState);
