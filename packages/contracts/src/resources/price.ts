import { z } from 'zod';
import { PriceId, ProductId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { metadata, replacedMetadata, storedMetadata } from '../metadata.ts';
import { AMOUNT, currency, inCurrencies, storedCurrency, unitAmount } from '../money.ts';
import { text } from '../text.ts';
import { createdAt } from '../timestamp.ts';
import { catalogKey, catalogKeyOnce, shownCatalogKey } from './catalog-key.ts';

export const PRICE_TYPES = ['recurring', 'one_time'] as const;
export type PriceType = (typeof PRICE_TYPES)[number];
export const INTERVALS = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];
/** How the amount follows from the quantity: the same for each unit, or by tiers. https://docs.stripe.com/api/prices/object */
export const BILLING_SCHEMES = ['per_unit', 'tiered'] as const;
export type BillingScheme = (typeof BILLING_SCHEMES)[number];
/** Whether the amount contains the tax; where it is unspecified, the default of the account decides. https://docs.stripe.com/api/prices/object */
export const TAX_BEHAVIORS = ['inclusive', 'exclusive', 'unspecified'] as const;
export type TaxBehavior = (typeof TAX_BEHAVIORS)[number];

/** The amount of a price. It is a single whole one, or the fields beside `unitAmount` tell what is billed instead. */
export const shownAmount = z.object({
  unitAmount: z
    .int()
    .nullable()
    .meta({
      description: `${AMOUNT} Null for a tiered or metered price, and for an amount with fractions of that unit.`,
      example: 2999,
    }),
  billingScheme: z.enum(BILLING_SCHEMES).optional().describe('Present when `unitAmount` is null.'),
  usageType: z
    .enum(['licensed', 'metered'])
    .optional()
    .describe('Present when `unitAmount` is null: `licensed` is billed by quantity, `metered` by usage.'),
  unitAmountDecimal: z
    .string()
    .nullable()
    .optional()
    .describe(
      'Present when `unitAmount` is null: the amount of a unit, exactly, as decimal text; null for a tiered price.',
    ),
});
type ShownAmount = z.output<typeof shownAmount>;

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

/** What a price costs in other currencies than its own, by currency. */
export const storedOptions = z.record(
  z.string(),
  z.object({ unitAmount: z.int().nullable().describe(`${AMOUNT} Null for tiers, and with fractions of that unit.`) }),
);
export type CurrencyOptions = Readonly<z.output<typeof storedOptions>>;

const givenOptions = inCurrencies(z.strictObject({ unitAmount }));

/** No billing period is longer than three years. Stripe: https://docs.stripe.com/api/prices/create */
export const MAX_INTERVAL_COUNT: Readonly<Record<Interval, number>> = { day: 1_095, week: 156, month: 36, year: 3 };

/** The name of the events that a meter counts. https://docs.stripe.com/api/billing/meter/create */
export const meterName = text(100);

export const price = z
  .object({
    id: PriceId.schema,
    productId: ProductId.schema,
    key: shownCatalogKey,
    ...shownAmount.shape,
    currency: storedCurrency,
    currencyOptions: storedOptions.meta({
      description: 'What it costs in other currencies than `currency`, by currency; empty without any.',
      example: { eur: { unitAmount: 2799 } },
    }),
    type: z.enum(PRICE_TYPES).describe('Whether it is billed in intervals, or once.'),
    interval: z.enum(INTERVALS).optional().describe('Absent for a one-time price.'),
    intervalCount: z.int().optional().describe('Number of intervals between billings.'),
    meter: z
      .string()
      .optional()
      .meta({ description: 'The meter whose usage it bills after each interval; absent for other prices.' }),
    taxBehavior: z
      .enum(TAX_BEHAVIORS)
      .describe('Whether the amount contains the tax; where it is `unspecified`, the default of the account decides.'),
    isActive: z.boolean().describe('Whether a checkout can use it.'),
    processorPriceId: z.string().describe('The id of the price at the payment processor.'),
    metadata: storedMetadata,
    createdAt,
  })
  .meta({
    id: 'Price',
    description:
      'A price of a product. Amounts, currency and interval never change; amounts in other currencies can be added.',
    example: {
      key: 'pro_monthly',
      interval: 'month',
      intervalCount: 1,
      taxBehavior: 'exclusive',
      isActive: true,
      processorPriceId: 'price_1RqZ4K2eZvKYlo2C8nTbW5dE',
    },
  });
export type Price = z.output<typeof price>;

/** What is wrong where an amount in the currency of a price is among those in others. */
export const OTHER_CURRENCIES = 'Expected other currencies than that of the price.';

export const priceCreate = z
  .strictObject({
    productId: ProductId.schema,
    key: optional(catalogKey),
    unitAmount,
    currency,
    currencyOptions: withDefault(givenOptions, {}).describe(
      'What it costs in other currencies than `currency`, by currency: it is sold in each of them.',
    ),
    type: withDefault(z.enum(PRICE_TYPES), 'recurring').describe('Whether it is billed in intervals, or once.'),
    interval: optional(z.enum(INTERVALS)).describe('Required for a recurring price; not allowed for a one-time price.'),
    intervalCount: optional(z.int().min(1)).describe(
      'Number of intervals between billings, by default 1; the period is at most three years.',
    ),
    meter: optional(meterName).meta({
      description:
        'Bills usage after each interval, `unitAmount` for a unit: the name of the meter at the payment processor (`event_name`), which is created if there is none. Only for a recurring price.',
    }),
    taxBehavior: withDefault(z.enum(TAX_BEHAVIORS), 'unspecified').describe(
      'Whether the amount contains the tax; it can be set once.',
    ),
    metadata: withDefault(metadata, {}),
  })
  .superRefine((it, context) => {
    const reject = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (Object.hasOwn(it.currencyOptions, it.currency)) reject('currencyOptions', OTHER_CURRENCIES);
    if (it.type === 'one_time') {
      if (it.interval !== undefined) reject('interval', 'A one-time price has no interval.');
      if (it.intervalCount !== undefined) reject('intervalCount', 'A one-time price has no interval count.');
      if (it.meter !== undefined) reject('meter', 'A one-time price bills no usage.');
    } else if (it.interval === undefined) {
      reject('interval', 'A recurring price needs an interval: day, week, month or year.');
    } else if ((it.intervalCount ?? 1) > MAX_INTERVAL_COUNT[it.interval]) {
      reject('intervalCount', `At most ${MAX_INTERVAL_COUNT[it.interval]}: no period is longer than three years.`);
    }
  })
  .meta({
    id: 'PriceCreate',
    description: 'A price to create.',
    example: { unitAmount: 2999, interval: 'month' },
  });

export const priceUpdate = z
  .strictObject({
    key: catalogKeyOnce,
    taxBehavior: z
      .enum(TAX_BEHAVIORS)
      .describe('Whether the amount contains the tax: once it is `inclusive` or `exclusive`, it never changes.'),
    currencyOptions: givenOptions.describe(
      'Amounts to add in other currencies than that of the price. One that it has already stays, and another amount in its currency is refused.',
    ),
    isActive: z.boolean().describe('Whether a checkout can use it.'),
    metadata: replacedMetadata,
  })
  .partial()
  .meta({
    id: 'PriceUpdate',
    description: 'The fields of a price to change; the others never change.',
    example: { isActive: false },
  });
