import { fieldDifferences } from '@billing/processor/field-differences';
import { isDeepStrictEqual } from 'node:util';
import { compareCoupons } from './compare-coupons.rules.ts';
import {
  changed,
  compareItem,
  compareKind,
  conflict,
  extras,
  missing,
  twinsAmong,
  type CatalogFinding,
  type CompareOptions,
} from './finding.rules.ts';
import type { CatalogItems, PriceItem, RecordedCatalog, RecordedItem, Unnamed } from './items.rules.ts';
import { newestByKey } from './keys.rules.ts';

/**
 * Compares a project with a document: one finding for each item that differs, in the order in which they are applied. Only what
 * has a key is compared, and only sections that the document has.
 */
export function compareCatalog(
  wanted: CatalogItems,
  recorded: RecordedCatalog,
  options: CompareOptions,
): CatalogFinding[] {
  const ofProducts = compareProducts(wanted, recorded, options);
  return [
    ...compareFeatures(wanted, recorded, options),
    ...ofProducts,
    ...compareCoupons(wanted, recorded, options),
    ...comparePortal(wanted, recorded, ofProducts),
    ...compareSettings(wanted, recorded),
  ];
}

function compareFeatures(
  { features }: CatalogItems,
  recorded: RecordedCatalog,
  { prune }: CompareOptions,
): CatalogFinding[] {
  if (!features) return [];
  const known = new Map(recorded.features.map(found => [found.item.key, found]));
  const findings = features.flatMap((wanted): CatalogFinding[] => {
    const { key, name } = wanted;
    const found = known.get(key);
    if (!found) return [missing('feature', key, name, wanted)];
    const fields = fieldDifferences(found.item, wanted);
    const isFixed = fields.some(({ field }) => field !== 'name' && field !== 'isActive');
    return changed({ type: 'feature', key, id: found.id, name }, fields, isFixed ? 'feature_type' : null);
  });
  const wantedKeys = new Set(features.map(({ key }) => key));
  return [...findings, ...extras('feature', recorded.features, wantedKeys, prune)];
}

function compareProducts(
  { products, prices }: CatalogItems,
  recorded: RecordedCatalog,
  options: CompareOptions,
): CatalogFinding[] {
  if (!products || !prices) return [];
  const { prune, adopt } = options;
  const known = newestByKey(recorded.products);
  const { findings, recordOf, inConflict } = compareKind(
    'product',
    products,
    { all: recorded.products, known, adopt },
    () => null,
  );
  const wantedKeys = new Set(products.map(({ key }) => key));
  findings.push(...extras('product', known, wantedKeys, prune));

  const knownPrices = newestByKey(recorded.prices);
  const twinOfPrice = twinsAmong(recorded.prices);
  for (const wanted of prices) {
    const { key, productKey } = wanted;
    const productId = recordOf.get(productKey) ?? null;
    // An archived price of another product leaves its key to this one.
    const found = knownPrices.find(it => it.item.key === key && (it.item.isActive || it.productId === productId));
    const of = { type: 'price', key, id: found?.id ?? null, name: null } as const;
    if (inConflict.has(productKey)) findings.push(conflict(of, 'product_conflict'));
    else if (found && found.productId !== productId) findings.push(conflict(of, 'other_product'));
    else findings.push(...comparePrice(wanted, { found, productId, twinOf: twinOfPrice, adopt }));
  }
  const wantedPrices = new Set(prices.map(({ key }) => key));
  // A document has no prices of products that it does not show, and nothing is done with those of one in conflict.
  const shown = new Set([...known.map(({ id }) => id), ...recordOf.values()]);
  for (const key of inConflict) shown.delete(recordOf.get(key) ?? null);
  const ofShown = knownPrices.filter(({ productId }) => shown.has(productId));
  findings.push(...extras('price', ofShown, wantedPrices, prune));
  return findings;
}

interface ComparedPrice {
  readonly found: RecordedItem<Unnamed<Omit<PriceItem, 'productKey'>>> | undefined;
  readonly productId: string | null;
  readonly twinOf: (isTwin: (price: RecordedCatalog['prices'][number]) => boolean) => RecordedItem<object> | undefined;
  readonly adopt: boolean;
}

function comparePrice({ productKey: _product, ...wanted }: PriceItem, compared: ComparedPrice): CatalogFinding[] {
  const { found, productId, twinOf, adopt } = compared;
  const { key } = wanted;
  const isTwin = ({ productId: of, item }: RecordedCatalog['prices'][number]) =>
    of === productId && item.isActive && isSameOffer(item, wanted);
  const twin = found ?? twinOf(isTwin);
  const [finding] = compareItem('price', { key, name: null, found, twin, adopt }, wanted);
  if (!finding || !found || isSameOffer(found.item, wanted)) return finding ? [finding] : [];
  return [{ ...finding, action: 'replace' }];
}

type Terms = Omit<Unnamed<PriceItem>, 'productKey' | 'key'>;

/** Returns whether a price can become what is wanted: its terms never change, but amounts in other currencies can be added. */
function isSameOffer(price: Terms, wanted: Terms): boolean {
  const fixed = ['unitAmount', 'currency', 'type', 'interval', 'intervalCount', 'meter', 'taxBehavior'] as const;
  const options = Object.entries(price.currencyOptions);
  return (
    fixed.every(field => price[field] === wanted[field]) &&
    options.every(([currency, amount]) => isDeepStrictEqual(amount, wanted.currencyOptions[currency]))
  );
}

/** Compares what the portal offers. A price that is replaced is replaced there too, whether the document has a portal or not. */
function comparePortal(
  { portal }: CatalogItems,
  recorded: RecordedCatalog,
  ofProducts: readonly CatalogFinding[],
): CatalogFinding[] {
  const offered = recorded.portal.planSwitch.priceKeys;
  const replaced = ofProducts.filter(it => it.action === 'replace' && offered.includes(it.key)).map(({ key }) => key);
  const fields = [
    ...(portal ? fieldDifferences(recorded.portal, portal) : []),
    ...(replaced.length > 0 ? [{ field: 'replacedPrices', ours: replaced, theirs: replaced }] : []),
  ];
  return changed({ type: 'portal', key: 'portal', id: null, name: null }, fields, null);
}

const compareSettings = ({ settings }: CatalogItems, recorded: RecordedCatalog): CatalogFinding[] =>
  settings
    ? changed(
        { type: 'settings', key: 'settings', id: null, name: null },
        fieldDifferences(recorded.settings, settings),
        null,
      )
    : [];
