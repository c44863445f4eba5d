import { z } from 'zod';
import { PriceId, PromotionCodeId } from '../ids.ts';
import { AMOUNT } from '../money.ts';
import { optional, settable, withDefault } from '../optional.ts';
import { helpUrl, imageUrl, text, webUrl } from '../text.ts';
import { catalogKey } from './catalog-key.ts';
import { CHANGE_TIMES, PRORATIONS } from './plan-change.ts';
import { atMostOne, priceReference } from './price-reference.ts';
import { PORTAL_LANGUAGES } from './portal-session.ts';
import { givenTime } from '../timestamp.ts';

const MAX_PRICES = 50;
const MAX_QUANTITY = 999_999;
const MAX_PAUSE_DAYS = 365;

const planSwitch = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether customers can change their plan.', example: true }),
    priceIds: z
      .array(PriceId.schema)
      .max(MAX_PRICES)
      .refine(all => new Set(all).size === all.length, 'Contains a price twice.')
      .meta({ description: 'The prices that are offered, in this order.', example: [PriceId.example] }),
    when: z
      .enum(CHANGE_TIMES)
      .describe(
        'When a change takes effect. `auto`: at the end of the period if the monthly amount falls or the interval becomes shorter, else now.',
      ),
    proration: z.enum(PRORATIONS).describe('How the rest of the period is billed when it takes effect now.'),
  })
  .describe('Changes of the plan.');

const quantity = z
  .object({
    enabled: z
      .boolean()
      .meta({ description: 'Whether customers can change how many they subscribe to.', example: true }),
    min: z.int().min(1).max(MAX_QUANTITY).meta({ description: 'The fewest.', example: 1 }),
    max: z.int().min(1).max(MAX_QUANTITY).meta({ description: 'The most.', example: 50 }),
  })
  .describe('Changes of the quantity.');

const cancellation = z
  .object({
    askReason: z.boolean().meta({ description: 'Whether customers who cancel are asked why.', example: true }),
    saveOffer: z
      .strictObject({ promotionCodeId: PromotionCodeId.schema.describe('What is offered.') })
      .nullable()
      .meta({ description: 'A discount that customers are offered once who are about to cancel.', example: null }),
  })
  .describe('What happens when a customer cancels.');

const billingDetails = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether customers see and change them.', example: true }),
  })
  .describe('The business name, address and tax ids on their invoices.');

const pause = z
  .object({
    enabled: z
      .boolean()
      .meta({ description: 'Whether customers can pause what they pay, and resume it.', example: true }),
    maxDays: z.int().min(1).max(MAX_PAUSE_DAYS).nullable().meta({
      description:
        'The longest pause, in days: each ends by itself. Null allows those that last until they are resumed.',
      example: 90,
    }),
  })
  .describe('Pauses of the payments, whose invoices are voided.');

const brand = z
  .object({
    name: text(120).nullable().meta({
      description: 'Stands at the top; the name of the project when it is null.',
      example: 'Analytical Engines',
    }),
    logoUrl: imageUrl.nullable().meta({ description: 'A square image, by https.', example: null }),
    accentColor: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'Expected a color like #1a7f5a.')
      .toLowerCase()
      .nullable()
      .meta({
        description: 'The color of buttons and links; made lighter or darker where it could not be read.',
        example: '#1a7f5a',
      }),
    supportUrl: helpUrl.nullable().meta({
      description: 'Where customers get help: a page, or an e-mail address.',
      example: 'mailto:help@example.com',
    }),
    returnUrl: webUrl.nullable().meta({
      description: 'The target of the link back to your product, for links without their own.',
      example: null,
    }),
  })
  .describe('How the portal looks.');

const defaultLanguage = z.enum(PORTAL_LANGUAGES).meta({
  description: 'The language for readers whose browser asks for none that the portal has.',
  example: 'en',
});

/** What the portal lets customers do, and how it looks. */
export const portalConfig = z
  .object({ planSwitch, quantity, cancellation, pause, billingDetails, defaultLanguage, brand })
  .meta({ id: 'PortalConfig', description: 'What the portal of the project’s customers offers, and how it looks.' });
export type PortalConfig = z.output<typeof portalConfig>;

/** What a project has that has set nothing: everything is off. */
export const DEFAULT_PORTAL_CONFIG: PortalConfig = {
  planSwitch: { enabled: false, priceIds: [], when: 'auto', proration: 'always_invoice' },
  quantity: { enabled: false, min: 1, max: MAX_QUANTITY },
  cancellation: { askReason: false, saveOffer: null },
  pause: { enabled: false, maxDays: null },
  billingDetails: { enabled: false },
  defaultLanguage: 'en',
  brand: { name: null, logoUrl: null, accentColor: null, supportUrl: null, returnUrl: null },
};

const SWITCH_DEFAULTS = { ...DEFAULT_PORTAL_CONFIG.planSwitch, priceKeys: [] };
const switchByKey = planSwitch
  .extend({
    priceKeys: z.array(catalogKey).max(MAX_PRICES).meta({
      description: 'Instead of `priceIds`: the newest active price with each of these keys, as it is now.',
      example: [],
    }),
  })
  .describe('Changes of the plan.');

/** The whole configuration: whatever is left out becomes its default, so nothing of an earlier one stays. */
export const portalConfigUpdate = settable(
  portalConfig.extend({
    planSwitch: settable(switchByKey, SWITCH_DEFAULTS)
      .refine(it => it.priceIds.length === 0 || it.priceKeys.length === 0, {
        path: ['priceKeys'],
        message: 'Expected either `priceIds` or `priceKeys`.',
      })
      .refine(it => new Set(it.priceKeys).size === it.priceKeys.length, {
        path: ['priceKeys'],
        message: 'Contains a price twice.',
      }),
    quantity: settable(quantity, DEFAULT_PORTAL_CONFIG.quantity).refine(it => it.min <= it.max, {
      path: ['max'],
      message: 'Expected at least `min`.',
    }),
    cancellation: settable(cancellation, DEFAULT_PORTAL_CONFIG.cancellation),
    pause: settable(pause, DEFAULT_PORTAL_CONFIG.pause),
    billingDetails: settable(billingDetails, DEFAULT_PORTAL_CONFIG.billingDetails),
    brand: settable(brand, DEFAULT_PORTAL_CONFIG.brand),
  }),
  { ...DEFAULT_PORTAL_CONFIG, planSwitch: SWITCH_DEFAULTS },
).meta({
  id: 'PortalConfigUpdate',
  description: 'What the portal is to offer, and how it is to look; what is left out is off.',
  example: {
    planSwitch: { enabled: true, priceIds: [PriceId.example], when: 'auto', proration: 'always_invoice' },
    quantity: { enabled: true, min: 1, max: 50 },
    cancellation: { askReason: true, saveOffer: null },
    pause: { enabled: true, maxDays: 90 },
    billingDetails: { enabled: true },
    defaultLanguage: 'en',
    brand: { name: 'Analytical Engines', accentColor: '#1a7f5a' },
  },
});

export const portalConfigPreview = z
  .strictObject({
    portalConfig: portalConfigUpdate,
    language: optional(z.enum(PORTAL_LANGUAGES)).describe('The language of the page; the default one unless given.'),
  })
  .meta({ id: 'PortalConfigPreview', description: 'A configuration to look at before it is saved.' });

/** What a customer may change in the portal. */
export const portalPlanChange = z
  .strictObject({
    ...priceReference,
    priceId: priceReference.priceId.describe('One of the prices that are offered; as it is if absent.'),
    quantity: optional(z.int().min(1).max(MAX_QUANTITY)).describe('How many; as it is if absent.'),
    prorationDate: optional(givenTime).describe('That of the preview which the customer has seen.'),
    expectedAmountDue: optional(z.int()).describe('The `amountDue` of the preview which the customer has seen.'),
  })
  .refine(...atMostOne)
  .meta({ id: 'PortalPlanChange', description: 'What a customer changes.', example: { priceId: PriceId.example } });

/** How a customer pauses. */
export const portalPause = z
  .strictObject({
    resumesAt: optional(givenTime).meta({
      description:
        'When the pause ends by itself; if absent as late as may be, or not before it is resumed where that may be.',
      example: '2026-05-02T09:30:00.000Z',
    }),
  })
  .meta({ id: 'PortalPause', description: 'How a customer pauses.' });

/** How a customer resumes. */
export const portalResume = z
  .strictObject({
    expectedAmountDue: withDefault(z.int(), 0).meta({
      description: `What the customer has confirmed to pay now; where more is due nothing changes. ${AMOUNT}`,
      example: 0,
    }),
  })
  .meta({ id: 'PortalResume', description: 'How a customer resumes.' });
