import { fits } from '@billing/contracts/feature-value';
import { Problem } from '@billing/contracts/problem';
import type { CatalogDocument } from '@billing/contracts/resources/catalog-document';
import { DEFAULT_PORTAL_CONFIG, type PortalConfig } from '@billing/contracts/resources/portal-config';
import { DEFAULT_GRACE_DAYS } from '@billing/contracts/resources/team';
import type { CatalogRecords, CatalogWrite } from '@billing/contracts/rpc/catalog';
import { compareCatalog } from '../../src/catalog/compare.rules.ts';
import { exportCatalog } from '../../src/catalog/export.rules.ts';
import type { CatalogFinding } from '../../src/catalog/finding.rules.ts';
import { itemsOf, recorded, type CatalogItems, type RecordedCatalog } from '../../src/catalog/items.rules.ts';
import { toPortalConfig, withNewestPrices } from '../../src/catalog/portal.rules.ts';
import { PASSES, passesOf, typesOf, writesOf, type CatalogPass } from '../../src/catalog/writes.rules.ts';

/** What the catalog, the portal and the gateway have of a project, and what they refuse. */
export interface Project {
  /** Begins each id. */
  readonly name: string;
  records: CatalogRecords;
  portal: PortalConfig;
  settings: { readonly entitlementGraceDays: number };
}

export const newProject = (name = 'one'): Project => ({
  name,
  records: { features: [], products: [], prices: [], coupons: [], promotionCodes: [] },
  portal: DEFAULT_PORTAL_CONFIG,
  settings: { entitlementGraceDays: DEFAULT_GRACE_DAYS },
});

/** Returns what a run reads of a project: all that has a key, and what is active without one. */
export function read({ records, portal, settings }: Project): RecordedCatalog {
  const isRead = ({ key, isActive }: { readonly key: string | null; readonly isActive: boolean }) =>
    key !== null || isActive;
  const seen = { ...records, products: records.products.filter(isRead), prices: records.prices.filter(isRead) };
  return recorded(seen, portal, settings);
}

/** Returns the document of a project, as text. */
export const textOfProject = (project: Project): string => JSON.stringify(exportCatalog(read(project)).catalog);

/** What prevents a write. */
export class Refusal extends Error {}

interface Applied {
  readonly findings: readonly CatalogFinding[];
  /** Why something was not applied. */
  readonly refusals: readonly string[];
  readonly writes: readonly CatalogWrite[];
}

interface Options {
  readonly prune?: boolean;
  readonly adopt?: boolean;
  /** Each pass of a finding is made twice, as after a crash. */
  readonly twice?: boolean;
}

/** Applies a document to a project, pass by pass, as a run does. */
export function apply(
  project: Project,
  document: CatalogDocument,
  { prune = false, adopt = false, twice = false }: Options = {},
): Applied {
  const wanted = itemsOf(document);
  const findings = compareCatalog(wanted, read(project), { prune, adopt });
  const open = new Map(findings.map(it => [`${it.type} ${it.key}`, it]));
  if (open.size < findings.length) throw new Error('Two findings have one place.');
  const [refusals, writes]: [string[], CatalogWrite[]] = [[], []];
  const made = new Map<string, string>();
  for (const pass of PASSES)
    for (const place of [...open.keys()].toSorted().flatMap(it => (twice ? [it, it] : [it]))) {
      const finding = open.get(place);
      if (!finding) continue;
      if (!typesOf(pass).includes(finding.type) || !passesOf(finding, wanted).includes(pass)) continue;
      try {
        let { id } = finding;
        if (pass === 'portal' || pass === 'settings') writeWhole(project, wanted, pass);
        for (const [index, change] of writesOf(finding, wanted, pass).entries()) {
          writes.push(change);
          const key = `${place} ${pass} ${index}`;
          id = write(project, change, made.get(key));
          made.set(key, id);
        }
        open.set(place, { ...finding, id: finding.action === 'replace' ? finding.id : id });
      } catch (err) {
        if (!(err instanceof Refusal || err instanceof Problem)) throw err;
        refusals.push(`${place}: ${err.message}`);
        open.delete(place);
      }
    }
  return { findings, refusals, writes };
}

function writeWhole(project: Project, { portal, settings }: CatalogItems, pass: CatalogPass): void {
  const { records } = project;
  if (pass === 'settings') project.settings = settings ?? project.settings;
  else project.portal = portal ? toPortalConfig(portal, records) : withNewestPrices(project.portal, records);
}

/** Makes one write, as the catalog service does; returns the id of the record, which is `known` of a write that is repeated. */
function write(project: Project, change: CatalogWrite, known?: string): string {
  const { records, name } = project;
  const { features, products, prices, coupons, promotionCodes: codes } = records;
  if (known !== undefined && change.write.startsWith('create-')) {
    if (change.write === 'create-price' && change.replaces)
      changed(prices, it => it.id === change.replaces, { isActive: false });
    return known;
  }
  const count = Object.values(records).reduce((sum, { length }) => sum + length, 0);
  switch (change.write) {
    case 'create-feature': {
      const { write: _write, ...item } = change;
      if (features.some(({ key }) => key === item.key)) throw new Refusal('feature_key_taken');
      return added(features, { id: `feat_${name}${count}`, ...item, values: item.values && [...item.values] });
    }
    case 'update-feature': {
      const { write: _write, key, ...changes } = change;
      return changed(features, it => it.key === key, changes);
    }
    case 'create-product': {
      const { write: _write, ...item } = change;
      requireFree(products, item.key);
      return added(products, { id: `pp_${name}${count}`, ...item, features: {} });
    }
    case 'update-product':
      requireSettable(products, change.productId, change.changes.key);
      return changed(products, it => it.id === change.productId, change.changes);
    case 'create-price': {
      const { write: _write, productKey, replaces, ...item } = change;
      const product = byKey(products, productKey);
      if (!product.isActive) throw new Refusal('product_inactive');
      requireFree(
        prices.filter(({ id }) => id !== replaces),
        item.key,
      );
      const id = added(prices, { id: `pri_${name}${count}`, productId: product.id, ...item, features: {} });
      if (replaces) changed(prices, it => it.id === replaces, { isActive: false });
      return id;
    }
    case 'update-price':
      requireSettable(prices, change.priceId, change.changes.key);
      return changed(prices, it => it.id === change.priceId, change.changes);
    case 'give-features': {
      for (const [key, { value }] of Object.entries(change.features)) {
        const feature = features.find(it => it.key === key);
        if (!feature || !fits({ ...feature, values: feature.values && [...feature.values] }, value))
          throw new Refusal('feature_value_invalid');
      }
      const owners: { id: string; key: string | null; isActive: boolean; features: object }[] =
        change.owner === 'product' ? products : prices;
      const owner = byKey(owners, change.key);
      return changed(owners, it => it === owner, { features: change.features });
    }
    case 'create-coupon': {
      const { write: _write, productKeys, ...item } = change;
      if (coupons.some(({ key }) => key === item.key)) throw new Refusal('catalog_key_taken');
      const productIds = productKeys && productKeys.map(key => byKey(products, key).id);
      return added(coupons, { id: `cpn_${name}${count}`, ...item, productIds });
    }
    case 'set-coupon-key':
      requireSettable(coupons, change.couponId, change.key);
      return changed(coupons, it => it.id === change.couponId, { key: change.key });
    case 'create-code': {
      const { write: _write, couponKey, ...item } = change;
      const coupon = coupons.findLast(({ key }) => key === couponKey);
      if (!coupon) throw new Refusal('coupon_not_found');
      requireFreeText(codes, item.code);
      return added(codes, { id: `prc_${name}${count}`, couponId: coupon.id, ...item });
    }
    case 'update-code': {
      const code = codes.find(it => it.id === change.promotionCodeId);
      if (change.isActive && code && !code.isActive) requireFreeText(codes, code.code);
      return changed(codes, it => it === code, { isActive: change.isActive });
    }
    default:
      return change satisfies never;
  }
}

interface Record {
  readonly id: string;
}

function added<Item extends Record>(all: Item[], item: Item): string {
  all.push(item);
  return item.id;
}

function changed<Item extends Record>(
  all: Item[],
  isIt: (item: Item) => boolean,
  changes: { readonly [Field in keyof Item]?: Item[Field] | undefined },
): string {
  const index = all.findIndex(isIt);
  const item = all[index];
  if (!item) throw new Refusal('not_found');
  all[index] = { ...item, ...JSON.parse(JSON.stringify(changes)) }; // without what is undefined
  return item.id;
}

/** Finds what a key means: the newest active one, else the newest. */
function byKey<Item extends { readonly key: string | null; readonly isActive: boolean }>(
  all: readonly Item[],
  key: string,
): Item {
  const found = all.findLast(it => it.key === key && it.isActive) ?? all.findLast(it => it.key === key);
  if (!found) throw new Refusal('not_found');
  return found;
}

function requireFree(all: readonly { readonly key: string | null; readonly isActive: boolean }[], key: string): void {
  if (all.some(it => it.key === key && it.isActive)) throw new Refusal('catalog_key_taken');
}

function requireSettable(
  all: readonly { readonly id: string; readonly key: string | null }[],
  id: string,
  key: string | undefined,
): void {
  const current = all.find(it => it.id === id)?.key ?? null;
  if (key !== undefined && current !== null && current !== key) throw new Refusal('catalog_key_set');
  if (key !== undefined && all.some(it => it.key === key && it.id !== id && Reflect.get(it, 'isActive') !== false))
    throw new Refusal('catalog_key_taken');
}

/** Stripe has one active code of a text in an account, upper or lower case. */
function requireFreeText(codes: CatalogRecords['promotionCodes'], text: string): void {
  if (codes.some(it => it.isActive && it.code.toLowerCase() === text.toLowerCase()))
    throw new Refusal('promotion_code_taken');
}
