import { z } from 'zod';
import { PriceId, ProductId } from '../ids.ts';
import { metadata, storedMetadata } from '../metadata.ts';
import { currency, unitAmount } from '../money.ts';
import { timestamp } from '../timestamp.ts';

export const PRICE_TYPES = ['recurring', 'one_time'] as const;
export type PriceType = (typeof PRICE_TYPES)[number];
export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];
/** How the amount follows from the quantity: the same for each unit, or by tiers. https://docs.stripe.com/api/prices/object */
export const BILLING_SCHEMES = ['per_unit', 'tiered'] as const;
export type BillingScheme = (typeof BILLING_SCHEMES)[number];

/** The amount of a price. It is a single whole one, or the fields beside `unitAmount` tell what is billed instead. */
export const shownAmount = z.object({
  /** In the currency's smallest unit; null for a tiered or metered price and for an amount with fractions of the unit. */
  unitAmount: z.int().nullable(),
  /** This and the fields below are present when `unitAmount` is null. */
  billingScheme: z.enum(BILLING_SCHEMES).optional(),
  usageType: z.enum(['licensed', 'metered']).optional(),
  /** The amount of one unit in the currency's smallest unit, as decimal text; null for a tiered price. */
  unitAmountDecimal: z.string().nullable().optional(),
});
export type ShownAmount = z.output<typeof shownAmount>;

/** What is known of a price's amount. */
interface KnownAmount {
  readonly unitAmount: number | null;
  readonly unitAmountDecimal: string | null;
  readonly billingScheme: BillingScheme;
  readonly metered: boolean;
}

/** Returns how the amount of a price is shown. */
export function showAmount({ metered, ...price }: KnownAmount): ShownAmount {
  if (price.unitAmount !== null && price.billingScheme === 'per_unit' && !metered)
    return { unitAmount: price.unitAmount };
  const { billingScheme, unitAmountDecimal } = price;
  return { unitAmount: null, billingScheme, usageType: metered ? 'metered' : 'licensed', unitAmountDecimal };
}

/** No billing period is longer than three years. Stripe: https://docs.stripe.com/api/prices/create */
const MAX_INTERVAL_COUNT: Readonly<Record<Interval, number>> = { day: 1_095, week: 156, month: 36, year: 3 };

export const price = z.object({
  id: PriceId.schema,
  productId: ProductId.schema,
  ...shownAmount.shape,
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
