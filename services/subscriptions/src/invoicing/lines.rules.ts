import type { PriceId, ProductId } from '@billing/contracts/ids';
import { notFound, unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { NewInvoiceLine } from '@billing/contracts/resources/invoice-create';
import type { NewInvoiceLine as ProcessorLine } from '@billing/processor/invoicing';
import { requireSellable, type Offer } from '#checkout/purchase.rules';

/** How a price is sold once. */
export interface OneTimeOffer extends Offer {
  readonly processorPriceId: string;
  /** All currencies that it has an amount in, the one that it is named by first. */
  readonly currencies: readonly string[];
}

/** A product that is billed at an amount of its own. */
export interface BilledProduct {
  readonly processorProductId: string;
  readonly isActive: boolean;
}

/** What lines name, by our ids. */
export interface NamedByLines {
  readonly prices: ReadonlyMap<PriceId, OneTimeOffer>;
  readonly products: ReadonlyMap<ProductId, BilledProduct>;
}

/** Returns the currency in which lines are billed: that of the first price, unless it is given. */
export function currencyOf(
  lines: readonly NewInvoiceLine[],
  given: string | undefined,
  prices: NamedByLines['prices'],
): string {
  if (given !== undefined) return given;
  const first = lines.find(line => 'priceId' in line);
  const [currency] = (first && prices.get(first.priceId)?.currencies) ?? [];
  if (currency === undefined) throw notFound('price');
  return currency;
}

/**
 * Returns lines by the processor's ids.
 * @throws Problem 404 `price_not_found`, `product_not_found`; 422 `price_inactive`, `product_inactive`, `price_type_mismatch`,
 * `currency_mismatch`
 */
export function toProcessorLines(
  lines: readonly NewInvoiceLine[],
  { prices, products }: NamedByLines,
  { currency, billedBy }: { readonly currency: string; readonly billedBy: 'invoice' | 'subscription' },
): ProcessorLine[] {
  return lines.map(line => {
    if ('priceId' in line) {
      const offer = prices.get(line.priceId);
      if (!offer) throw notFound('price');
      requireSellable(offer, 'payment');
      if (!offer.currencies.includes(currency)) throw otherCurrency(offer.currencies[0] ?? '', { currency, billedBy });
      return { priceId: offer.processorPriceId, quantity: line.quantity };
    }
    if (!('productId' in line)) return line;
    const product = products.get(line.productId);
    if (!product) throw notFound('product');
    if (!product.isActive) throw unprocessable('product_inactive', 'The product is not active.');
    const { productId: _id, ...billed } = line;
    return { productId: product.processorProductId, ...billed };
  });
}

function otherCurrency(
  price: string,
  { currency, billedBy }: { currency: string; billedBy: 'invoice' | 'subscription' },
) {
  const details = {
    price,
    ...(billedBy === 'invoice' ? { invoice: currency } : { subscription: currency }),
  } satisfies ProblemDetails['currency_mismatch'];
  return unprocessable('currency_mismatch', `The price is in ${price}, and the ${billedBy} in ${currency}.`, details);
}
