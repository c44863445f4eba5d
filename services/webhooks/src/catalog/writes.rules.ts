import type { CatalogType } from '@billing/contracts/resources/sync';
import type { CatalogWrite } from '@billing/contracts/rpc/catalog';
import type { CatalogFinding } from './finding.rules.ts';
import type { CatalogItems, ProductItem, PriceItem } from './items.rules.ts';

/**
 * What an apply does, in this order: what others need comes first. `give` has products and prices give their features;
 * `archive` comes last of them, since an archived product gets no new prices.
 */
export const PASSES = [
  'feature',
  'product',
  'price',
  'give',
  'archive',
  'coupon',
  'promotion_code',
  'portal',
  'settings',
] as const;
export type CatalogPass = (typeof PASSES)[number];
/** Where it is: it compares first. */
export type CatalogPhase = 'compare' | CatalogPass;

/** Returns the types whose findings a pass looks at. */
export const typesOf = (pass: CatalogPass): readonly CatalogType[] =>
  pass === 'give' || pass === 'archive' ? ['product', 'price'] : [pass];

/** Returns the passes that have something to do for a finding; what is created has its id by the time of a later pass. */
export function passesOf(finding: CatalogFinding, wanted: CatalogItems): CatalogPass[] {
  if (finding.action === 'none') return [];
  const recorded = { ...finding, id: finding.id ?? 'created by then' };
  return PASSES.filter(pass => pass === finding.type || writesOf(recorded, wanted, pass).length > 0);
}

/**
 * Returns what a pass writes for a finding, in this order. Portal and settings are written whole, by their services.
 * @param finding its id is that of the record as it is now: of one that an earlier pass has created, too; of what is replaced, that
 *   of the old one
 */
export function writesOf(finding: CatalogFinding, wanted: CatalogItems, pass: CatalogPass): CatalogWrite[] {
  const { type } = finding;
  if (finding.action === 'none' || !typesOf(pass).includes(type)) return [];
  if (type === 'feature') return featureWrites(finding, wanted);
  if (type === 'product')
    return productWrites(
      finding,
      wanted.products?.find(it => it.key === finding.key),
      pass,
    );
  if (type === 'price')
    return priceWrites(
      finding,
      wanted.prices?.find(it => it.key === finding.key),
      pass,
    );
  if (type === 'coupon') return couponWrites(finding, wanted);
  if (type === 'promotion_code') return codeWrites(finding, wanted);
  return [];
}

function featureWrites({ key, action, fields }: CatalogFinding, { features }: CatalogItems): CatalogWrite[] {
  if (action === 'archive') return [{ write: 'update-feature', key, isActive: false }];
  const item = features?.find(it => it.key === key);
  if (!item) return [];
  if (action === 'create') {
    const created: CatalogWrite = { write: 'create-feature', ...item };
    return item.isActive ? [created] : [created, { write: 'update-feature', key, isActive: false }];
  }
  const changes = fields.map(({ field, theirs }) => [field, theirs]);
  return [{ write: 'update-feature', key, ...Object.fromEntries(changes) }];
}

function productWrites(finding: CatalogFinding, item: ProductItem | undefined, pass: CatalogPass): CatalogWrite[] {
  const { id, action } = finding;
  // The id is one of a product: so says the finding's type.
  const productId = id as `pp_${string}` | null;
  if (pass === 'archive')
    return productId && isArchived(finding, item)
      ? [{ write: 'update-product', productId, changes: { isActive: false } }]
      : [];
  if (!item) return [];
  const { features, ...content } = item;
  if (pass === 'give')
    return givesFeatures(finding, features)
      ? [{ write: 'give-features', owner: 'product', key: item.key, features }]
      : [];
  if (action === 'create') return [{ write: 'create-product', ...content, isActive: true }];
  const changes = changesOf(finding, content);
  return productId && Object.keys(changes).length > 0 ? [{ write: 'update-product', productId, changes }] : [];
}

function priceWrites(finding: CatalogFinding, item: PriceItem | undefined, pass: CatalogPass): CatalogWrite[] {
  const { id, action } = finding;
  // The id is one of a price: so says the finding's type.
  const priceId = id as `pri_${string}` | null;
  if (pass === 'archive')
    return priceId && !isNew(finding) && isArchived(finding, item)
      ? [{ write: 'update-price', priceId, changes: { isActive: false } }]
      : [];
  if (!item) return [];
  const { features, ...terms } = item;
  if (pass === 'give')
    return givesFeatures(finding, features)
      ? [{ write: 'give-features', owner: 'price', key: item.key, features }]
      : [];
  if (isNew(finding)) return [{ write: 'create-price', ...terms, replaces: action === 'replace' ? priceId : null }];
  const { currencyOptions, ...content } = terms;
  const added = finding.fields.some(({ field }) => field === 'currencyOptions') && { currencyOptions };
  const changes = { ...changesOf(finding, content), ...added };
  return priceId && Object.keys(changes).length > 0 ? [{ write: 'update-price', priceId, changes }] : [];
}

function couponWrites({ id, key, action }: CatalogFinding, { coupons }: CatalogItems): CatalogWrite[] {
  const item = coupons?.find(it => it.key === key);
  if (!item || action === 'archive') return []; // its codes are switched off
  if (action === 'create') return [{ write: 'create-coupon', ...item }];
  // The id is one of a coupon: so says the finding's type.
  return id === null ? [] : [{ write: 'set-coupon-key', couponId: id as `cpn_${string}`, key }];
}

function codeWrites({ id, key, action }: CatalogFinding, { codes }: CatalogItems): CatalogWrite[] {
  const item = codes?.find(it => it.code.toLowerCase() === key.toLowerCase());
  if (action === 'create') return item ? [{ write: 'create-code', ...item }] : [];
  if (id === null) return [];
  // The id is one of a promotion code: so says the finding's type.
  const promotionCodeId = id as `prc_${string}`;
  if (action === 'replace')
    return item
      ? [
          { write: 'update-code', promotionCodeId, isActive: false },
          { write: 'create-code', ...item },
        ]
      : [];
  return [{ write: 'update-code', promotionCodeId, isActive: action !== 'archive' && item?.isActive === true }];
}

/** Returns the fields that differ as they are to be, but for features and for what is archived later. */
function changesOf<Content extends object>(finding: CatalogFinding, content: Content): Partial<Content> {
  const differs = new Set(finding.fields.map(({ field }) => field));
  const isLater = (field: string, value: unknown) => field === 'isActive' && value === false;
  const changed = Object.entries(content).filter(([field, value]) => differs.has(field) && !isLater(field, value));
  return Object.fromEntries(changed) as Partial<Content>; // some of its fields
}

const isArchived = ({ action, fields }: CatalogFinding, item: { readonly isActive: boolean } | undefined): boolean =>
  action === 'archive' ||
  (item?.isActive === false && (action !== 'update' || fields.some(({ field }) => field === 'isActive')));

const isNew = ({ action }: CatalogFinding): boolean => action === 'create' || action === 'replace';

const givesFeatures = (finding: CatalogFinding, features: object): boolean =>
  isNew(finding) ? Object.keys(features).length > 0 : finding.fields.some(({ field }) => field === 'features');
