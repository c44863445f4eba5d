import { z } from 'zod';
import { PriceId, ProductId } from '../ids.ts';
import { metadata, storedMetadata } from '../metadata.ts';
import { currency, unitAmount } from '../money.ts';
import { timestamp } from '../timestamp.ts';

export const PRICE_TYPES = ['recurring', 'one_time'] as const;
export type PriceType = (typeof PRICE_TYPES)[number];
export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

/** No billing period is longer than three years. Stripe: https://docs.stripe.com/api/prices/create */
const MAX_INTERVAL_COUNT: Readonly<Record<Interval, number>> = { day: 1_095, week: 156, month: 36, year: 3 };

export const price = z.object({
  id: PriceId.schema,
  productId: ProductId.schema,
  /** In the currency's smallest unit. */
  unitAmount: z.int(),
  currency: z.string(),
  type: z.enum(PRICE_TYPES),
  interval: z.enum(INTERVALS).optional(),
  intervalCount: z.int().optional(),
  isActive: z.boolean(),
  processorPriceId: z.string(),
  metadata: storedMetadata,
  createdAt: timestamp,
});
export type Price = z.output<typeof price>;

export const priceCreate = z
  .strictObject({
    productId: ProductId.schema,
    unitAmount,
    currency,
    type: z.enum(PRICE_TYPES).default('recurring'),
    interval: z.enum(INTERVALS).optional(),
    intervalCount: z.int().min(1).optional(),
    metadata: metadata.default({}),
  })
  .superRefine((it, context) => {
    const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (it.type === 'one_time') {
      if (it.interval !== undefined) reject('interval', 'A one-time price has no interval.');
      if (it.intervalCount !== undefined) reject('intervalCount', 'A one-time price has no interval count.');
    } else if (it.interval === undefined) {
      reject('interval', 'A recurring price needs an interval: day, week, month or year.');
    } else if ((it.intervalCount ?? 1) > MAX_INTERVAL_COUNT[it.interval]) {
      reject('intervalCount', `At most ${MAX_INTERVAL_COUNT[it.interval]}: no period is longer than three years.`);
    }
  });

/** Amount, currency and interval of a price never change. */
export const priceUpdate = z.strictObject({ isActive: z.boolean(), metadata }).partial();
