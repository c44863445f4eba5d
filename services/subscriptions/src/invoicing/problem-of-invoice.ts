import { unprocessable } from '@billing/contracts/problem';
import { isRefusedFor } from '@billing/processor/errors';
import { problemOfRedemption } from '#copies/resolve-promotion-code';

/** Returns what is thrown for an error of the processor about a new invoice: it alone knows where tax can be computed. */
export function problemOfInvoice(error: unknown): unknown {
  if (!isRefusedFor(error, { code: 'customer_tax_location_invalid' })) return problemOfRedemption(error);
  return taxLocationInvalid();
}

export const taxLocationInvalid = () =>
  unprocessable(
    'tax_location_invalid',
    'Tax cannot be computed for the customer: give it a whole address in its billing details first.',
  );
