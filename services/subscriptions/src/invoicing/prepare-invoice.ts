import type { ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import { MAX_INVOICE_FIELDS, PURCHASE_ORDER_FIELD } from '@billing/contracts/resources/billing-details';
import type { InvoiceCreate } from '@billing/contracts/resources/invoice-create';
import type { Processor } from '@billing/processor/port';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { requireExpected } from './draft.ts';
import { findPaymentMethod, paymentMethodMissing } from './find-payment-method.ts';
import { previewResolved } from './preview-invoice.ts';
import { resolvedInvoice, resolveInvoice, type ResolvedInvoice } from './resolve-invoice.ts';

/** An invoice by the processor's ids, with what differs from what the customer has by default: all of its fields, and what it is charged to. */
export const preparedInvoice = resolvedInvoice.extend({
  paymentMethodId: z.string().exactOptional(),
  invoiceFields: z.array(z.object({ name: z.string(), value: z.string() })).exactOptional(),
});
export type PreparedInvoice = z.output<typeof preparedInvoice>;

/**
 * Finds out what an invoice needs before it is made: the processor's ids, its fields, and whether there is something to charge
 * it to. Changes nothing.
 * @throws Problem what `resolveInvoice` throws; 409 `amount_changed`; 422 `payment_method_missing`, `invoice_fields_full`
 */
export function prepareInvoice(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const resolve = resolveInvoice(dependencies);
  return async (scope: ProjectScope, wanted: InvoiceCreate): Promise<PreparedInvoice> => {
    const resolved = await resolve(scope, wanted);
    const processor = await dependencies.processors.of(scope.teamId);
    // The draft redeems a promotion code, and its deletion does not give that back.
    if (resolved.terms.promotionCodeId !== undefined)
      requireExpected((await previewResolved(processor, resolved)).amounts.amountDue, wanted.expectedAmountDue);
    const method = wanted.collect === 'saved' ? await chargedTo(processor, wanted, resolved) : {};
    const invoiceFields =
      wanted.purchaseOrder === undefined
        ? undefined
        : await fieldsWith(processor, resolved.terms.customerId, wanted.purchaseOrder);
    return {
      ...resolved,
      ...method,
      ...(invoiceFields && { invoiceFields }),
    };
  };
}

/**
 * Returns the payment method to send, if one is to be.
 * @throws Problem 422 `payment_method_missing` without any, unless nothing is due or it stays a draft
 */
async function chargedTo(processor: Processor, { draft }: InvoiceCreate, resolved: ResolvedInvoice) {
  const method = await findPaymentMethod(processor, resolved.terms.customerId);
  if (method || draft) return method ?? {};
  const { amounts } = await previewResolved(processor, resolved);
  if (amounts.amountDue > 0) throw paymentMethodMissing();
  return {};
}

/**
 * Returns the fields of the customer's invoices with another order number: given fields replace all of the customer's.
 * @throws Problem 422 `invoice_fields_full`
 */
async function fieldsWith(processor: Processor, customerId: string, purchaseOrder: string) {
  const customer = await processor.findCustomer(customerId);
  const fields = customer.deleted ? [] : customer.billing.invoiceFields;
  const others = fields.filter(({ name }) => name !== PURCHASE_ORDER_FIELD).map(({ name, value }) => ({ name, value }));
  if (others.length >= MAX_INVOICE_FIELDS)
    throw unprocessable('invoice_fields_full', 'The customer’s invoices have four other fields already.', { left: 0 });
  return [...others, { name: PURCHASE_ORDER_FIELD, value: purchaseOrder }];
}
