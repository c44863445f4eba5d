import { CHECKOUT_LOCALES } from '@billing/contracts/resources/checkout';
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { boolean, choice } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { taxLocationOf } from '../billing/tax.ts';
import type { CheckoutSession, Customer } from '../objects/stored.ts';

const updates = choice('auto', 'never').optional();

/** The parameters of what the hosted page offers besides payment. */
export const optionParameters = {
  allow_promotion_codes: boolean.optional(),
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
  customer_update: z.strictObject({ address: updates, name: updates, shipping: updates }).optional(),
  locale: choice(...CHECKOUT_LOCALES).optional(),
  tax_id_collection: z
    .strictObject({ enabled: boolean, required: choice('if_supported', 'never').optional() })
    .optional(),
};

type Options = Pick<CheckoutSession, 'allow_promotion_codes' | 'automatic_tax' | 'locale'> & {
  tax_id_collection?: NonNullable<CheckoutSession['tax_id_collection']>;
};
type Given = { [Name in keyof typeof optionParameters]?: z.output<(typeof optionParameters)[Name]> };

/**
 * Returns what a session shows of its options.
 * @throws ApiError 400 when they do not fit the mode or need data of an existing customer that the page may not update
 */
export function optionsOf(unit: UnitOfWork, given: Given & { mode: string }, customer: Customer | null): Options {
  const { customer_update: update, mode } = given;
  const automaticTax = given.automatic_tax?.enabled ?? false;
  const taxIds = given.tax_id_collection?.enabled ?? false;
  for (const param of ['allow_promotion_codes', 'automatic_tax'] as const)
    if (mode === 'setup' && given[param] !== undefined)
      throw invalidRequest(`You can not pass \`${param}\` in \`setup\` mode.`, param);
  if (update && !customer)
    throw invalidRequest('`customer_update` can only be used with `customer`.', 'customer_update');
  const updatesAddress = update?.address === 'auto' || update?.shipping === 'auto';
  const location = customer && taxLocationOf(unit, customer);
  if (automaticTax && customer && !location && !updatesAddress)
    throw invalidRequest(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
      undefined,
      'customer_tax_location_invalid',
    );
  if (taxIds && customer && update?.name !== 'auto')
    throw invalidRequest(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    );
  const { tax_id_collection: taxIdCollection } = given;
  return {
    allow_promotion_codes: given.allow_promotion_codes ?? null,
    automatic_tax: automaticTax
      ? {
          enabled: true,
          liability: { type: 'self' },
          provider: 'stripe',
          status: location ? 'complete' : 'requires_location_inputs',
        }
      : { enabled: false, liability: null, provider: null, status: null },
    locale: given.locale ?? null,
    ...(taxIdCollection && {
      tax_id_collection: { enabled: taxIds, required: taxIdCollection.required ?? 'never' },
    }),
  };
}
