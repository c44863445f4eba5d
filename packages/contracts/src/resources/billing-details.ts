import { z } from 'zod';
import { CustomerId } from '../ids.ts';
import { text } from '../text.ts';
import { updatedAt } from '../timestamp.ts';

/** The name of the invoice field that has the order number. */
export const PURCHASE_ORDER_FIELD = 'PO number';

/** How many fields an invoice can have. https://docs.stripe.com/api/customers/update */
export const MAX_INVOICE_FIELDS = 4;

const line = (max: number) => text(max).nullable().default(null);

const address = z.strictObject({
  line1: line(500).describe('Street and number.'),
  line2: line(500),
  city: line(200),
  state: line(200).describe('State, province or region.'),
  postalCode: line(50),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'Expected the two capital letters of a country.')
    .meta({ description: 'The two letters of ISO 3166-1.', example: 'DE' }),
});

const storedAddress = z.object({
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  postalCode: z.string().nullable(),
  country: z.string().nullable(),
});
export type BillingAddress = z.output<typeof storedAddress>;

export const TAX_EXEMPTIONS = ['none', 'exempt', 'reverse'] as const;
export type TaxExempt = (typeof TAX_EXEMPTIONS)[number];
const TAX_EXEMPT =
  'Whether the customer is taxed: `none` as its location and tax ids say, `exempt` never, `reverse` owes the tax itself.';

/** https://docs.stripe.com/api/tax_ids/object */
export const VERIFICATIONS = ['pending', 'verified', 'unverified', 'unavailable'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

const taxId = z.strictObject({
  type: z
    .string()
    // Those that the processor has of an unknown kind may stay.
    .regex(/^([a-z]{2}_[a-z0-9_]{2,20}|unknown)$/, 'Expected a kind of tax id, such as eu_vat.')
    .meta({
      description: 'The kind, as the payment processor names it: `eu_vat`, `gb_vat`, `us_ein`…',
      example: 'eu_vat',
    }),
  value: text(100),
});

const field = z.strictObject({
  name: text(40).refine(name => name !== PURCHASE_ORDER_FIELD, `Use purchaseOrder for “${PURCHASE_ORDER_FIELD}”.`),
  value: text(140),
});
const storedField = z
  .object({ name: z.string(), value: z.string() })
  .meta({ example: { name: 'Cost centre', value: '4711' } });

/** How many tax ids a customer can have. */
export const MAX_TAX_IDS = 5;
const MAX_OWN_FIELDS = MAX_INVOICE_FIELDS - 1;
const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** A tax id without the spaces that people type: so two are compared. */
export const taxIdKey = ({ type, value }: { readonly type: string; readonly value: string }): string =>
  `${type}:${value.replaceAll(/\s/g, '')}`;

const EXAMPLE = {
  businessName: 'Analytical Engines GmbH',
  taxIds: [{ type: 'eu_vat', value: 'DE123456789', verification: 'verified' }],
  address: {
    line1: 'Invalidenstr. 1',
    line2: null,
    city: 'Berlin',
    state: null,
    postalCode: '10115',
    country: 'DE',
  },
  purchaseOrder: '2026-17',
  taxLocation: 'recognized',
};

export const billingDetails = z
  .object({
    customerId: CustomerId.schema,
    businessName: z.string().nullable().describe('Printed on invoices in place of the customer’s name.'),
    address: storedAddress.nullable().describe('Where the customer is billed, and taxed.'),
    phone: z.string().nullable().describe('Printed on invoices.'),
    taxIds: z
      .array(
        z.object({
          type: z.string(),
          value: z.string(),
          verification: z.enum(VERIFICATIONS).describe('What the register of the country says, where it is asked.'),
        }),
      )
      .describe('What identifies the business to tax offices; printed on invoices.'),
    taxExempt: z.enum(TAX_EXEMPTIONS).describe(TAX_EXEMPT),
    locale: z.string().nullable().describe('The language of invoices and mails.'),
    purchaseOrder: z.string().nullable().describe('Printed on invoices as “PO number”.'),
    invoiceFields: z.array(storedField).describe('Those that were made here.'),
    taxLocation: z
      .enum(['recognized', 'unrecognized', 'unknown'])
      .describe(
        'Whether tax can be computed for the address; `unknown` until the payment processor was asked about it.',
      ),
    updatedAt,
  })
  .meta({
    id: 'BillingDetails',
    description: 'Who is billed, and with which tax.',
    example: EXAMPLE,
  });
export type BillingDetails = z.output<typeof billingDetails>;

/** The details of a customer that has none. */
export const NO_DETAILS: Omit<BillingDetails, 'customerId' | 'updatedAt'> = {
  businessName: null,
  address: null,
  phone: null,
  taxIds: [],
  taxExempt: 'none',
  locale: null,
  purchaseOrder: null,
  invoiceFields: [],
  taxLocation: 'unknown',
};

const EXAMPLE_UPDATE = { businessName: 'Analytical Engines GmbH', taxIds: [{ type: 'eu_vat', value: 'DE123456789' }] };

export const billingDetailsUpdate = z
  .strictObject({
    businessName: text(150).nullable().describe('Printed on invoices in place of the name; null clears it.'),
    address: address.nullable().describe('Replaced as a whole; null clears it.'),
    phone: text(20).nullable().describe('Printed on invoices; null clears it.'),
    taxIds: z
      .array(taxId)
      .max(MAX_TAX_IDS)
      .refine(ids => isUnique(ids.map(taxIdKey)), 'A tax id stands there twice.')
      .describe('Replaced as a whole. One that stays is never gone in between.'),
    taxExempt: z
      .enum(TAX_EXEMPTIONS)
      .nullable()
      .transform(it => it ?? ('none' as const))
      .describe(`${TAX_EXEMPT} Null is \`none\`.`),
    locale: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'Expected a language, such as de or pt-BR.')
      .meta({ example: 'de' })
      .nullable()
      .describe('The language of invoices and mails.'),
    purchaseOrder: text(140).nullable().describe('Printed on invoices as “PO number”.'),
    invoiceFields: z
      .array(field)
      .max(MAX_OWN_FIELDS)
      .refine(fields => isUnique(fields.map(({ name }) => name)), 'Two fields have the same name.')
      .describe('Printed on invoices. Replaced as a whole; fields that were made at the payment processor stay.'),
  })
  .partial()
  .meta({
    id: 'BillingDetailsUpdate',
    description: 'The billing details to change; those that are absent stay.',
    example: EXAMPLE_UPDATE,
  });
export type BillingDetailsUpdate = z.output<typeof billingDetailsUpdate>;

/** The billing details as their customer sees and changes them: nobody exempts themselves from tax. */
export const portalBillingDetails = billingDetails.omit({ taxExempt: true }).meta({
  id: 'PortalBillingDetails',
  description: 'Who is billed, as the customer sees it.',
  example: EXAMPLE,
});
export type PortalBillingDetails = z.output<typeof portalBillingDetails>;

export const portalBillingDetailsUpdate = billingDetailsUpdate.omit({ taxExempt: true }).meta({
  id: 'PortalBillingDetailsUpdate',
  description: 'The billing details that a customer changes; those that are absent stay.',
  example: EXAMPLE_UPDATE,
});
export type PortalBillingDetailsUpdate = z.output<typeof portalBillingDetailsUpdate>;
