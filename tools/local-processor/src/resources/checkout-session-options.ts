import { CHECKOUT_LOCALES } from '@billing/contracts/resources/checkout';
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { boolean, choice } from '../api/parameters.ts';
import type { CheckoutOptions } from '../objects/checkout-plan.ts';
import type { Customer } from '../objects/stored.ts';

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

type Given = { [Name in keyof typeof optionParameters]?: z.output<(typeof optionParameters)[Name]> };

/**
 * Returns the options of a session.
 * @throws ApiError 400 when they do not fit the mode or need data of an existing customer that the page may not update
 */
export function optionsOf(given: Given & { mode: string }, customer: Customer | null): CheckoutOptions {
  const { customer_update: update, mode } = given;
  const automaticTax = given.automatic_tax?.enabled ?? false;
  const taxIds = given.tax_id_collection?.enabled ?? false;
  for (const param of ['allow_promotion_codes', 'automatic_tax'] as const)
    if (mode === 'setup' && given[param] !== undefined)
      throw invalidRequest(`You can not pass \`${param}\` in \`setup\` mode.`, { param });
  if (update && !customer)
    throw invalidRequest('`customer_update` can only be used with `customer`.', { param: 'customer_update' });
  const updatesAddress = update?.address === 'auto' || update?.shipping === 'auto';
  if (automaticTax && customer && customer.address === null && !updatesAddress)
    throw invalidRequest(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
      { code: 'customer_tax_location_invalid' },
    );
  if (taxIds && customer && update?.name !== 'auto')
    throw invalidRequest(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    );
  return {
    allowPromotionCodes: given.allow_promotion_codes ?? null,
    automaticTax,
    locale: given.locale ?? null,
    taxIds: given.tax_id_collection ? { enabled: taxIds, required: given.tax_id_collection.required ?? 'never' } : null,
    updatesAddress: update?.address === 'auto',
    updatesName: update?.name === 'auto',
  };
}
