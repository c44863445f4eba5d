import { z } from 'zod';
import { PriceId, PromotionCodeId } from '../ids.ts';
import { optional, withDefault } from '../optional.ts';
import { text, webUrl } from '../text.ts';
import { CHANGE_TIMES, PRORATIONS } from './plan-change.ts';
import { PORTAL_LANGUAGES } from './portal-session.ts';

const MAX_PRICES = 50;
const MAX_QUANTITY = 999_999;

const enabled = withDefault(z.boolean(), false);
const link = (description: string) => withDefault(webUrl.nullable(), null).meta({ description, example: null });

const planSwitch = z.strictObject({
  enabled: enabled.describe('Whether customers can change their plan.'),
  priceIds: withDefault(
    z
      .array(PriceId.schema)
      .max(MAX_PRICES)
      .refine(all => new Set(all).size === all.length, 'Contains a price twice.'),
    [],
  ).describe('The prices that are offered, in this order.'),
  when: withDefault(z.enum(CHANGE_TIMES), 'auto').describe(
    'When a change takes effect. `auto`: at the end of the period if the monthly amount falls or the interval becomes shorter, else now.',
  ),
  proration: withDefault(z.enum(PRORATIONS), 'always_invoice').describe(
    'How the rest of the period is billed when it takes effect now.',
  ),
});

const quantity = z
  .strictObject({
    enabled: enabled.describe('Whether customers can change how many they subscribe to.'),
    min: withDefault(z.int().min(1).max(MAX_QUANTITY), 1).describe('The fewest.'),
    max: withDefault(z.int().min(1).max(MAX_QUANTITY), MAX_QUANTITY).describe('The most.'),
  })
  .refine(it => it.min <= it.max, { path: ['max'], message: 'Expected at least `min`.' });

const cancellation = z.strictObject({
  askReason: enabled.describe('Whether customers who cancel are asked why.'),
  saveOffer: withDefault(
    z.strictObject({ promotionCodeId: PromotionCodeId.schema.describe('What is offered.') }).nullable(),
    null,
  ).meta({ description: 'A discount that customers are offered once who are about to cancel.', example: null }),
});

const brand = z.strictObject({
  name: withDefault(text(120).nullable(), null).meta({
    description: 'Stands at the top; the name of the project when it is null.',
    example: 'Analytical Engines',
  }),
  logoUrl: link('A square image, by https.'),
  accentColor: withDefault(
    z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'Expected a colour like #1a7f5a.')
      .nullable(),
    null,
  ).meta({
    description: 'The colour of buttons and links; made lighter or darker where it could not be read.',
    example: '#1a7f5a',
  }),
  supportUrl: link('Where customers get help.'),
  returnUrl: link('The target of the link back to your product, for links without their own.'),
});

/** What the portal lets customers do, and how it looks. Whatever is left out is off. */
export const portalConfig = z
  .strictObject({
    planSwitch: withDefault(planSwitch, planSwitch.parse({})),
    quantity: withDefault(quantity, quantity.parse({})),
    cancellation: withDefault(cancellation, cancellation.parse({})),
    defaultLanguage: withDefault(z.enum(PORTAL_LANGUAGES), 'en').describe(
      'The language for readers whose browser asks for none that the portal has.',
    ),
    brand: withDefault(brand, brand.parse({})),
  })
  .meta({
    id: 'PortalConfig',
    description: 'What the portal of the project’s customers offers, and how it looks.',
    example: {
      planSwitch: { enabled: true, priceIds: [PriceId.example], when: 'auto', proration: 'always_invoice' },
      quantity: { enabled: true, min: 1, max: 50 },
      cancellation: { askReason: true, saveOffer: null },
      defaultLanguage: 'en',
      brand: { name: 'Analytical Engines', logoUrl: null, accentColor: '#1a7f5a', supportUrl: null, returnUrl: null },
    },
  });
export type PortalConfig = z.output<typeof portalConfig>;

/** What a customer may change in the portal. */
export const portalPlanChange = z
  .strictObject({
    priceId: optional(PriceId.schema).describe('One of the prices that are offered; as it is if absent.'),
    quantity: optional(z.int().min(1).max(MAX_QUANTITY)).describe('How many; as it is if absent.'),
    prorationDate: optional(z.iso.datetime()).describe('That of the preview which the customer has seen.'),
    expectedAmountDue: optional(z.int()).describe('The `amountDue` of the preview which the customer has seen.'),
  })
  .meta({ id: 'PortalPlanChange', description: 'What a customer changes.', example: { priceId: PriceId.example } });
