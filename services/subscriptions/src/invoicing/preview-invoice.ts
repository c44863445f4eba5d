import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import { leastCharge } from '@billing/contracts/least-charge';
import type { InvoiceCreate, InvoicePreview } from '@billing/contracts/resources/invoice-create';
import type { Processor } from '@billing/processor/port';
import type { InvoicePreview as ProcessorPreview } from '@billing/processor/snapshots/invoice-preview';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import { amountsOf } from '#plan-changes/preview.rules';
import type { Dependencies } from '../dependencies.ts';
import { problemOfInvoice, taxLocationInvalid } from './problem-of-invoice.ts';
import { resolveInvoice, type ResolvedInvoice } from './resolve-invoice.ts';

/**
 * Previews an invoice beside subscriptions: what the processor says it costs, with all its lines and without what waits for the
 * next invoice. Changes nothing.
 * @throws Problem what `resolveInvoice` throws; 422 `total_negative`, `tax_location_invalid`, `promotion_code_not_applicable`;
 * 409 `processor_not_connected`; `processor_error` after another refusal
 */
export function previewInvoice(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const { em, processors } = dependencies;
  const resolve = resolveInvoice(dependencies);
  return async (scope: ProjectScope, wanted: InvoiceCreate): Promise<InvoicePreview> => {
    const resolved = await resolve(scope, wanted);
    const processor = await processors.of(scope.teamId);
    return describePreview(em.fork(), scope, await previewResolved(processor, resolved));
  };
}

/** Describes what is due now by our ids. */
export async function describePreview(
  em: EntityManager,
  scope: ProjectScope,
  { currency, amounts, lines }: PreviewedInvoice,
): Promise<InvoicePreview> {
  const priceIds = await findKnownPriceIds(
    em,
    scope,
    lines.flatMap(({ priceId }) => priceId ?? []),
  );
  const { subtotal, discount, tax, total, creditApplied, debitApplied, carriedOver, amountDue } = amounts;
  return {
    currency,
    subtotal,
    discount,
    tax,
    total,
    creditApplied,
    debitApplied,
    carriedOver,
    amountDue,
    lines: lines.map(({ description, amount, quantity, priceId }) => ({
      description,
      amount,
      quantity,
      priceId: priceIds.get(priceId ?? '') ?? null,
    })),
  };
}

/** An invoice that would be due now, by the processor's ids. */
export type PreviewedInvoice = ReturnType<typeof dueInvoice>;

/**
 * Returns the amounts of an invoice that would be due now.
 * @throws Problem 422 `tax_location_invalid`
 */
export function dueInvoice(preview: ProcessorPreview) {
  if (preview.lacksTaxLocation) throw taxLocationInvalid();
  return { currency: preview.currency, amounts: amountsOf(preview, true), lines: preview.lines };
}

/**
 * Previews an invoice by the processor's ids.
 * @throws Problem 422 `total_negative`, and others that `problemOfInvoice` names
 */
export async function previewResolved(processor: Pick<Processor, 'previewLines'>, { terms, lines }: ResolvedInvoice) {
  const preview = await processor.previewLines(terms, lines).catch((err: unknown) => {
    throw problemOfInvoice(err);
  });
  const due = dueInvoice(preview);
  requireNotNegative(preview.total);
  return due;
}

/**
 * Checks that lines do not take off more than they bill.
 * @throws Problem 422 `total_negative`
 */
export function requireNotNegative(total: number | null): void {
  if (total !== null && total < 0)
    throw unprocessable(
      'total_negative',
      'The lines take off more than they bill; give the customer a credit instead.',
    );
}

/** Returns what a draft will charge once it is final: too little is not charged. */
export const dueOf = ({ amountDue, currency }: { readonly amountDue: number; readonly currency: string }): number =>
  amountDue >= leastCharge(currency) ? amountDue : 0;
