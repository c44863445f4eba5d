import type { UnitOfWork } from '../api/unit-of-work.ts';
import { summedUp } from '../objects/invoice.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import type { Discount, Invoice, InvoiceItem, WantedDiscount } from '../objects/stored.ts';
import { discounted, discountOfCustomer, rebatesBy, refuseLess, type Sale, wantedDiscounts } from './discounts.ts';
import { assessed } from './invoicing.ts';

/**
 * Returns the ids of the discounts that an invoice beside subscriptions has, and those that are new: the named ones, or else that of
 * its customer.
 */
export function discountsOfInvoice(
  unit: UnitOfWork,
  customer: string,
  sale: Sale,
  wanted: readonly WantedDiscount[] | null | undefined,
): { ids: string[]; fresh: Discount[] } {
  const inherited = discountOfCustomer(unit, customer);
  const kept = inherited ? [inherited.id] : [];
  if (wanted === undefined) return { ids: kept, fresh: [] };
  return wantedDiscounts(unit, wanted ?? [], { ...sale, customer, subscription: null, kept });
}

/** Returns the items that a draft bills, oldest first. */
const itemsOf = (unit: UnitOfWork, { id }: Invoice): InvoiceItem[] =>
  unit.tables.invoiceitem.withField('invoice', id).toReversed();

/** Checks that the codes of a draft can still be redeemed once it bills these items too. @throws ApiError 400 */
export function refuseCodes(unit: UnitOfWork, draft: Invoice, added: readonly InvoiceItem[]): void {
  const subtotal = [...itemsOf(unit, draft), ...added].reduce((sum, { amount }) => sum + amount, 0);
  for (const [index, id] of draft.discounts.entries()) {
    const code = unit.tables.promotion_code.get(unit.tables.discount.get(id)?.promotion_code ?? '');
    const sale = { currency: draft.currency, subtotal };
    if (code) refuseLess(unit, code, sale, `discounts[${index}][promotion_code]`);
  }
}

/** Bills the items that a draft beside subscriptions has now, with its discounts and tax, and emits its event. Returns the draft. */
export function rebill(unit: UnitOfWork, draft: Invoice): Invoice {
  const { id, currency, discounts } = draft;
  const rebates = rebatesBy(unit, discounts, { currency, at: unit.now });
  const lines = discounted(itemsOf(unit, draft).map(lineOfItem), rebates);
  const summed = { ...draft, ...summedUp(unit, { id, currency, lines, subscription: null }), discounts };
  return unit.update('invoice', draft, { ...assessed(unit, summed), ending_balance: null });
}
