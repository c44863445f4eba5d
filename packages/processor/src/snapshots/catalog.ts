import { z } from 'zod';
import { INTERVALS, type Interval, type PriceType } from '@billing/contracts/resources/price';
import { orNull, processorMetadata, reference, unixTime } from './read.ts';

/** A product of the processor. */
export interface ProductSnapshot {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly defaultPriceId: string | null;
}

const product = z.object({
  id: z.string(),
  name: z.string(),
  description: orNull(z.string()),
  active: z.boolean(),
  metadata: processorMetadata,
  created: unixTime,
  default_price: orNull(reference),
});

/** Parses a product of any API version. */
export function readProduct(raw: unknown): ProductSnapshot {
  const { active, created, default_price: defaultPriceId, ...rest } = product.parse(raw);
  return { ...rest, isActive: active, createdAt: created, defaultPriceId };
}

/** A price of the processor; `unitAmount` is null where there is no single whole amount (tiers, decimals). */
export interface PriceSnapshot {
  readonly id: string;
  readonly productId: string;
  readonly unitAmount: number | null;
  readonly currency: string;
  readonly type: PriceType;
  readonly interval: Interval | null;
  readonly intervalCount: number | null;
  readonly metered: boolean;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

const price = z.object({
  id: z.string(),
  product: reference,
  unit_amount: orNull(z.int()),
  currency: z.string(),
  recurring: orNull(
    z.object({ interval: z.enum(INTERVALS), interval_count: z.number(), usage_type: orNull(z.string()) }),
  ),
  active: z.boolean(),
  metadata: processorMetadata,
  created: unixTime,
});

/** Parses a price of any API version. */
export function readPrice(raw: unknown): PriceSnapshot {
  const { id, currency, metadata, ...fields } = price.parse(raw);
  return {
    id,
    productId: fields.product,
    unitAmount: fields.unit_amount,
    currency,
    type: fields.recurring ? 'recurring' : 'one_time',
    interval: fields.recurring?.interval ?? null,
    intervalCount: fields.recurring?.interval_count ?? null,
    metered: fields.recurring?.usage_type === 'metered',
    isActive: fields.active,
    metadata,
    createdAt: fields.created,
  };
}
