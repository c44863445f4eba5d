import type { PriceId, ProductId, ProjectScope } from '@billing/contracts/ids';
import type { NewInvoiceLine } from '@billing/contracts/resources/invoice-create';
import { FindProducts } from '@billing/contracts/rpc/calls';
import type { NewInvoiceLine as ProcessorLine } from '@billing/processor/invoicing';
import { findCurrencies } from '#copies/find-currencies';
import { CATALOG_TIMEOUT_MS, findOffers, type SoldPrice } from '#copies/find-offer';
import type { Dependencies } from '../dependencies.ts';
import { currencyOf, toProcessorLines, type BilledProduct, type OneTimeOffer } from './lines.rules.ts';

/** Lines by the processor's ids, and their currency. */
export interface ResolvedLines {
  readonly currency: string;
  readonly lines: readonly ProcessorLine[];
}

/**
 * Finds the processor's ids of what lines name, and checks that it can be billed once. The currency is that of the first price
 * unless it is given. Changes nothing.
 * @throws Problem 404 `price_not_found`, `product_not_found`; 422 `price_inactive`, `product_inactive`, `price_type_mismatch`,
 * `currency_mismatch`; 409 `processor_not_connected`; 503 when the catalog is down and there is no copy
 */
export function resolveLines(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors'>) {
  const { rpc } = dependencies;
  const [offersOf, currenciesOf] = [findOffers(dependencies), findCurrencies(dependencies)];

  return async (
    scope: ProjectScope,
    lines: readonly NewInvoiceLine[],
    {
      currency: given,
      billedBy,
    }: { readonly currency?: string | undefined; readonly billedBy: 'invoice' | 'subscription' },
  ): Promise<ResolvedLines> => {
    const priceIds = lines.flatMap(line => ('priceId' in line ? [line.priceId] : []));
    const productIds = lines.flatMap(line => ('productId' in line ? [line.productId] : []));
    const [offers, products] = await Promise.all([
      priceIds.length === 0 ? new Map<PriceId, SoldPrice>() : offersOf(scope, priceIds),
      findProducts(scope, productIds),
    ]);
    const [firstId] = priceIds;
    const wanted = given ?? (firstId && offers.get(firstId)?.price.currency) ?? undefined;
    const prices = new Map<PriceId, OneTimeOffer>();
    for (const [id, { price, product }] of offers) {
      const currencies = await currenciesOf(scope, price, wanted);
      prices.set(id, { price, product, processorPriceId: price.processorPriceId, currencies });
    }
    const currency = currencyOf(lines, given, prices);
    return { currency, lines: toProcessorLines(lines, { prices, products }, { currency, billedBy }) };
  };

  async function findProducts(
    { teamId, projectId }: ProjectScope,
    productIds: readonly ProductId[],
  ): Promise<ReadonlyMap<ProductId, BilledProduct>> {
    if (productIds.length === 0) return new Map();
    const request = { teamId, projectId, productIds: [...new Set(productIds)] };
    const found = await rpc.call(FindProducts, request, CATALOG_TIMEOUT_MS);
    return new Map(found.map(product => [product.id, product]));
  }
}
