import { z } from 'zod';
import type { ProjectScope } from '@billing/contracts/ids';
import type { InvoiceCreate } from '@billing/contracts/resources/invoice-create';
import { findBilledCustomer } from '#copies/find-billed-customer';
import { findTaxDefault } from '#copies/find-tax-default';
import { resolvePromotionCode } from '#copies/resolve-promotion-code';
import type { Dependencies } from '../dependencies.ts';
import { resolveLines } from './resolve-lines.ts';

/** A line by the processor’s ids. */
export const processorLine = z.union([
  z.strictObject({ priceId: z.string(), quantity: z.int() }),
  z.strictObject({
    productId: z.string(),
    unitAmount: z.int(),
    quantity: z.int(),
    description: z.string().optional(),
  }),
  z.strictObject({ description: z.string(), amount: z.int() }),
]);

/** An invoice by the processor's ids, as the operation log stores it. */
export const resolvedInvoice = z.object({
  terms: z.object({
    customerId: z.string(),
    currency: z.string(),
    automaticTax: z.boolean(),
    promotionCodeId: z.string().exactOptional(),
  }),
  lines: z.array(processorLine),
});
export type ResolvedInvoice = z.output<typeof resolvedInvoice>;

/**
 * Finds the processor's ids of what is billed to whom, for a preview and for the invoice itself, and checks that it can be.
 * Changes nothing.
 * @throws Problem 404 `customer_not_found`; what `resolveLines`, `resolvePromotionCode` and `findTaxDefault` throw
 */
export function resolveInvoice(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const [linesOf, codeOf] = [resolveLines(dependencies), resolvePromotionCode(dependencies)];
  const [customerOf, taxDefaultOf] = [findBilledCustomer(dependencies), findTaxDefault(dependencies)];

  return async (scope: ProjectScope, wanted: InvoiceCreate): Promise<ResolvedInvoice> => {
    const { processorCustomerId } = await customerOf(scope, wanted.customerId);
    const { currency, lines } = await linesOf(scope, wanted.lines, { currency: wanted.currency, billedBy: 'invoice' });
    const priceIds = wanted.lines.flatMap(it => ('priceId' in it ? [it.priceId] : []));
    const { promotionCode } = wanted;
    const code = promotionCode && (await codeOf(scope, { promotionCode, processorCustomerId, currency, priceIds }));
    return {
      terms: {
        customerId: processorCustomerId,
        currency,
        automaticTax: wanted.automaticTax ?? (await taxDefaultOf(scope)),
        ...(code && { promotionCodeId: code.processorPromotionCodeId }),
      },
      lines: [...lines],
    };
  };
}
