import { z } from 'zod';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import { invalid, unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import { TRIAL_ENDS, type CheckoutCreate } from '@billing/contracts/resources/checkout';
import { DAYS_UNTIL_DUE, type InvoicePreview } from '@billing/contracts/resources/invoice-create';
import type { Processor } from '@billing/processor/port';
import type { SubscriptionTerms } from '@billing/processor/selling';
import { findTaxDefault } from '#copies/find-tax-default';
import { requireExpected } from '#invoicing/draft';
import { findPaymentMethod, paymentMethodMissing } from '#invoicing/find-payment-method';
import { describePreview, dueInvoice, type PreviewedInvoice } from '#invoicing/preview-invoice';
import { problemOfInvoice } from '#invoicing/problem-of-invoice';
import type { Dependencies } from '../dependencies.ts';
import { resolvePurchase } from './resolve-purchase.ts';

const line = z.object({ priceId: z.string(), quantity: z.int().exactOptional() });

/** A sale without a page by the processor's ids, as the operation log stores it. */
export const preparedSale = z.object({
  terms: z.object({
    customerId: z.string(),
    items: z.array(line),
    addedOnce: z.array(line),
    currency: z.string(),
    automaticTax: z.boolean(),
    promotionCodeId: z.string().exactOptional(),
    trialDays: z.int().exactOptional(),
    trialEndsWithoutMethod: z.enum(TRIAL_ENDS).exactOptional(),
    daysUntilDue: z.int().exactOptional(),
    paymentMethodId: z.string().exactOptional(),
  }),
  productIds: z.array(ProductId.schema),
});
export type PreparedSale = z.output<typeof preparedSale>;

type Wanted = CheckoutCreate;

/**
 * Finds out what a sale without a page needs: the processor's ids, what it is charged to, and what is due of it now where that
 * decides. Changes nothing.
 * @throws Problem what `resolvePurchase` throws; 422 `payment_method_missing`, `payment_required`, `tax_location_invalid`; 409
 * `amount_changed`
 */
export function prepareSale(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const resolve = resolveSale(dependencies);
  return async (scope: ProjectScope, wanted: Wanted): Promise<PreparedSale> => {
    const { terms, productIds } = await resolve(scope, wanted);
    const { collect, daysUntilDue = DAYS_UNTIL_DUE, expectedAmountDue } = wanted;
    const processor = await dependencies.processors.of(scope.teamId);
    const method = collect === 'saved' ? await findPaymentMethod(processor, terms.customerId) : {};
    const isDecisive = collect === 'nothing' || method === null || expectedAmountDue !== undefined;
    const amountDue = isDecisive ? (await previewTerms(processor, terms)).amounts.amountDue : 0;
    requireExpected(amountDue, isDecisive ? expectedAmountDue : undefined);
    if (amountDue > 0 && method === null) throw paymentMethodMissing();
    if (amountDue > 0 && collect === 'nothing') throw paymentRequired(amountDue);
    return {
      terms: {
        ...terms,
        ...(collect === 'invoice' && { daysUntilDue }),
        ...method,
      },
      productIds: [...productIds],
    };
  };
}

/**
 * Previews what a sale without a page charges now. Changes nothing.
 * @throws Problem what `resolvePurchase` throws; 422 `tax_location_invalid`; 400 for a sale by a page, which says it itself
 */
export function previewSale(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const resolve = resolveSale(dependencies);
  return async (scope: ProjectScope, wanted: Wanted): Promise<InvoicePreview> => {
    if (wanted.collect === 'page')
      throw invalid([{ path: 'collect', message: 'A page says what is due; only other sales are previewed.' }]);
    const { terms } = await resolve(scope, wanted);
    const due = await previewTerms(await dependencies.processors.of(scope.teamId), terms);
    return describePreview(dependencies.em.fork(), scope, due);
  };
}

/** Finds what is sold, on which terms, by the processor's ids; how it is collected is yet to be added. */
function resolveSale(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const [resolve, taxDefaultOf] = [resolvePurchase(dependencies), findTaxDefault(dependencies)];
  return async (scope: ProjectScope, wanted: Wanted) => {
    const { processorCustomerId: customerId, productIds, ...purchase } = await resolve(scope, wanted);
    const { trialDays, trialEndsWithoutMethod } = wanted;
    const { processorPromotionCodeId: promotionCodeId } = purchase;
    const terms = {
      customerId,
      items: [...purchase.recurring],
      addedOnce: [...purchase.oneTime],
      currency: purchase.currency,
      automaticTax: wanted.automaticTax ?? (await taxDefaultOf(scope)),
      ...(promotionCodeId !== null && { promotionCodeId }),
      ...(trialDays !== undefined && { trialDays }),
      ...(trialEndsWithoutMethod !== undefined && { trialEndsWithoutMethod }),
    };
    return { terms, productIds };
  };
}

/** Previews the first invoice of a subscription on such terms. */
async function previewTerms(processor: Processor, terms: SubscriptionTerms): Promise<PreviewedInvoice> {
  const preview = await processor.previewNewSubscription(terms).catch((err: unknown) => {
    throw problemOfInvoice(err);
  });
  return dueInvoice(preview);
}

function paymentRequired(amountDue: number) {
  const details = { amountDue } satisfies ProblemDetails['payment_required'];
  return unprocessable(
    'payment_required',
    'Something is due now; collect it by a page, a saved card or an invoice.',
    details,
  );
}
