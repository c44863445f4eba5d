import type { CatalogAction, CatalogType, FieldDifference, FindingOutcome } from '@billing/contracts/resources/sync';
import { fieldDifferences } from '@billing/processor/field-differences';
import { isDeepStrictEqual } from 'node:util';
import type {
  CatalogItems,
  CodeItem,
  CouponItem,
  PriceItem,
  RecordedCatalog,
  RecordedItem,
  Unnamed,
} from './items.rules.ts';
import { newestByKey } from './keys.rules.ts';

/** An item of the catalog that differs from the document. */
export interface CatalogFinding {
  readonly type: CatalogType;
  /** The text of a promotion code; `portal` and `settings` of those. */
  readonly key: string;
  /** Our id of the record; null where there is none. */
  readonly id: string | null;
  readonly outcome: Extract<FindingOutcome, 'missing' | 'different' | 'extra' | 'conflict'>;
  readonly action: CatalogAction;
  readonly name: string | null;
  readonly fields: readonly FieldDifference[];
  /** Why it is in conflict. */
  readonly reason: string | null;
}

interface Options {
  /** Archives what the document lacks. */
  readonly prune: boolean;
  /** Gives a key to what is the same and has none. */
  readonly adopt: boolean;
}

/**
 * Compares a project with a document: one finding for each item that differs, in the order in which they are applied. Only what
 * has a key is compared, and only sections that the document has.
 */
export function compareCatalog(wanted: CatalogItems, recorded: RecordedCatalog, options: Options): CatalogFinding[] {
  const ofProducts = compareProducts(wanted, recorded, options);
  return [
    ...compareFeatures(wanted, recorded, options),
    ...ofProducts,
    ...compareCoupons(wanted, recorded, options),
    ...comparePortal(wanted, recorded, ofProducts),
    ...compareSettings(wanted, recorded),
  ];
}

function compareFeatures({ features }: CatalogItems, recorded: RecordedCatalog, { prune }: Options): CatalogFinding[] {
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
  options: Options,
): CatalogFinding[] {
  if (!products || !prices) return [];
  const { prune, adopt } = options;
  const known = newestByKey(recorded.products);
  const findings: CatalogFinding[] = [];
  /** The record of each wanted product, with and without its key; null while there is none. */
  const recordOf = new Map<string, string | null>();
  const inConflict = new Set<string>();
  const twinOf = twinsAmong(recorded.products);
  for (const wanted of products) {
    const { key, name } = wanted;
    const found = known.find(({ item }) => item.key === key);
    const twin = found ?? twinOf(({ item }) => item.isActive && item.name === name);
    recordOf.set(key, twin?.id ?? null);
    const [finding] = compareItem('product', { key, name, found, twin, adopt }, wanted);
    if (finding?.outcome === 'conflict') inConflict.add(key);
    if (finding) findings.push(finding);
  }
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
  const fixed = ['unitAmount', 'currency', 'type', 'interval', 'intervalCount', 'taxBehavior'] as const;
  const options = Object.entries(price.currencyOptions);
  return (
    fixed.every(field => price[field] === wanted[field]) &&
    options.every(([currency, amount]) => isDeepStrictEqual(amount, wanted.currencyOptions[currency]))
  );
}

function compareCoupons(
  { coupons, codes }: CatalogItems,
  recorded: RecordedCatalog,
  { prune, adopt }: Options,
): CatalogFinding[] {
  if (!coupons || !codes) return [];
  const known = newestByKey(recorded.coupons);
  const findings: CatalogFinding[] = [];
  const recordOf = new Map<string, string | null>();
  const inConflict = new Set<string>();
  const twinOf = twinsAmong(recorded.coupons);
  for (const wanted of coupons) {
    const { key, name } = wanted;
    const found = known.find(({ item }) => item.key === key);
    const twin = found ?? twinOf(({ item }) => item.name === name);
    recordOf.set(key, twin?.id ?? null);
    const fields = twin ? fieldDifferences(twin.item, wanted).filter(({ field }) => field !== 'key') : [];
    const [compared] = compareItem('coupon', { key, name, found, twin, adopt }, wanted);
    const finding = compared && fields.length > 0 ? { ...compared, ...conflictOf('coupon_terms') } : compared;
    if (finding?.outcome === 'conflict') inConflict.add(key);
    if (finding) findings.push(finding);
  }
  findings.push(...compareCodes(coupons, codes, recorded, { known, recordOf, inConflict, prune }));
  return findings;
}

interface ComparedCoupons {
  readonly known: readonly { readonly id: string; readonly item: { readonly key: string; readonly name: string } }[];
  /** The record of each wanted coupon; null while there is none. */
  readonly recordOf: ReadonlyMap<string, string | null>;
  readonly inConflict: ReadonlySet<string>;
  readonly prune: boolean;
}

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function compareCodes(
  coupons: readonly CouponItem[],
  codes: readonly CodeItem[],
  recorded: RecordedCatalog,
  { known, recordOf, inConflict, prune }: ComparedCoupons,
): CatalogFinding[] {
  const findings: CatalogFinding[] = [];
  const codesOf = (couponId: string | null | undefined) => recorded.codes.filter(it => it.couponId === couponId);
  const conflicting = new Set([...inConflict].map(key => recordOf.get(key)));
  const comparedIds = new Set([...known.map(({ id }) => id), ...recordOf.values()].filter(id => !conflicting.has(id)));
  const active = recorded.codes.filter(({ couponId, item }) => item.isActive && comparedIds.has(couponId));
  for (const { couponKey, ...wanted } of codes) {
    if (inConflict.has(couponKey)) continue;
    const key = wanted.code;
    const couponId = recordOf.get(couponKey) ?? null;
    const found = newestCode(codesOf(couponId).filter(({ item }) => sameText(item.code, key)));
    const holder = active.find(it => it.couponId !== couponId && sameText(it.item.code, key));
    const of = { type: 'promotion_code', key, id: found?.id ?? null, name: null } as const;
    // A text has one active code: what another coupon has is switched off before.
    if (holder && (wanted.isActive || !found)) findings.push(moved({ ...of, id: holder.id }, couponKey, prune));
    else if (!found) findings.push(missing('promotion_code', key, null, wanted));
    else {
      const { code: _text, ...terms } = wanted;
      const fields = fieldDifferences<object>(found.item, terms);
      const isFixed = fields.some(({ field }) => field !== 'isActive');
      findings.push(...changed(of, fields, isFixed ? 'promotion_code_terms' : null));
    }
  }
  const wantedKeys = new Set(coupons.map(({ key }) => key));
  // The processor archives no coupon: one whose codes are all switched off is as good as that.
  const living = known.filter(({ id }) => active.some(it => it.couponId === id));
  findings.push(...extras('coupon', living, wantedKeys, prune));
  const isWanted = ({ couponId, item }: (typeof active)[number]) =>
    codes.some(it => sameText(it.code, item.code) && recordOf.get(it.couponKey) === couponId);
  const isFound = (code: string) => findings.some(({ type, key }) => type === 'promotion_code' && sameText(key, code));
  for (const { id, couponId, item } of active)
    if (!isWanted({ id, couponId, item }) && !isFound(item.code))
      findings.push(extra('promotion_code', item.code, id, null, prune));
  return findings;
}

/** A code that another coupon has. */
const moved = (of: Of, couponKey: string, prune: boolean): CatalogFinding =>
  prune
    ? {
        ...of,
        fields: [{ field: 'couponKey', ours: null, theirs: couponKey }],
        outcome: 'different',
        action: 'replace',
        reason: null,
      }
    : conflict(of, 'other_coupon');

const newestCode = (codes: RecordedCatalog['codes']) => codes.findLast(({ item }) => item.isActive) ?? codes.at(-1);

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

interface Compared {
  readonly key: string;
  readonly name: string | null;
  readonly found: RecordedItem<object> | undefined;
  /** What has the key, or is the same and has none. */
  readonly twin: RecordedItem<object> | undefined;
  readonly adopt: boolean;
}

function compareItem(type: 'product' | 'price' | 'coupon', compared: Compared, wanted: object): CatalogFinding[] {
  const { key, name, found, twin, adopt } = compared;
  if (!twin) return [missing(type, key, name, wanted)];
  const fields = fieldDifferences(twin.item, wanted);
  return changed({ type, key, id: twin.id, name }, fields, found || adopt ? null : 'twin');
}

/** Finds records without a key that are the same as a wanted item; each is the twin of one. */
function twinsAmong<Found extends RecordedItem<{ readonly key: string | null }>>(all: readonly Found[]) {
  const free = new Set(all.filter(({ item }) => item.key === null));
  return (isTwin: (found: Found) => boolean): Found | undefined => {
    const twin = [...free].find(isTwin);
    if (twin) free.delete(twin);
    return twin;
  };
}

type Of = Pick<CatalogFinding, 'type' | 'key' | 'id' | 'name'>;

const conflictOf = (reason: string) => ({ outcome: 'conflict', action: 'none', reason }) as const;
const conflict = (of: Of, reason: string): CatalogFinding => ({ ...of, fields: [], ...conflictOf(reason) });

const changed = (of: Of, fields: readonly FieldDifference[], reason: string | null): CatalogFinding[] => {
  if (reason !== null) return [{ ...of, fields, ...conflictOf(reason) }];
  return fields.length === 0 ? [] : [{ ...of, fields, outcome: 'different', action: 'update', reason: null }];
};

const missing = (type: CatalogType, key: string, name: string | null, wanted: object): CatalogFinding => {
  const fields = fieldDifferences<object>({}, wanted).filter(({ theirs }) => theirs !== null);
  return { type, key, id: null, name, fields, outcome: 'missing', action: 'create', reason: null };
};

const extra = (type: CatalogType, key: string, id: string, name: string | null, prune: boolean): CatalogFinding => {
  const action = prune ? 'archive' : 'none';
  return { type, key, id, name, fields: [], outcome: 'extra', action, reason: null };
};

/** Returns what is active and not wanted. */
const extras = (
  type: CatalogType,
  known: readonly {
    readonly id: string;
    readonly item: { readonly key: string; readonly isActive?: boolean; readonly name?: string };
  }[],
  wantedKeys: ReadonlySet<string>,
  prune: boolean,
): CatalogFinding[] =>
  known
    .filter(({ item }) => item.isActive !== false && !wantedKeys.has(item.key))
    .map(({ id, item }) => extra(type, item.key, id, item.name ?? null, prune));
