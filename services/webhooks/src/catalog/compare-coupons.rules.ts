import { fieldDifferences } from '@billing/processor/field-differences';
import {
  changed,
  compareKind,
  conflict,
  extra,
  extras,
  missing,
  type CatalogFinding,
  type ComparedKind,
  type CompareOptions,
  type Of,
} from './finding.rules.ts';
import type { CatalogItems, CodeItem, CouponItem, RecordedCatalog } from './items.rules.ts';
import { newestByKey } from './keys.rules.ts';

/** Compares coupons with their promotion codes. */
export function compareCoupons(
  { coupons, codes }: CatalogItems,
  recorded: RecordedCatalog,
  { prune, adopt }: CompareOptions,
): CatalogFinding[] {
  if (!coupons || !codes) return [];
  const known = newestByKey(recorded.coupons);
  const { findings, recordOf, inConflict } = compareKind(
    'coupon',
    coupons,
    { all: recorded.coupons, known, adopt },
    fields => (fields.some(({ field }) => field !== 'key') ? 'coupon_terms' : null),
  );
  return [...findings, ...compareCodes(coupons, codes, recorded, { known, recordOf, inConflict, prune })];
}

interface ComparedCoupons extends Pick<ComparedKind, 'recordOf' | 'inConflict'> {
  readonly known: readonly { readonly id: string; readonly item: { readonly key: string; readonly name: string } }[];
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
    if (holder && (wanted.isActive || !found)) {
      const from = known.find(({ id }) => id === holder.couponId)?.item.key ?? null;
      findings.push(moved({ ...of, id: holder.id }, { from, to: couponKey }, prune));
    } else if (!found) findings.push(missing('promotion_code', key, null, wanted));
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
      findings.push(extra({ type: 'promotion_code', key: item.code, id, name: null }, item, prune));
  return findings;
}

/** A code that another coupon has. */
const moved = (
  of: Of,
  { from, to }: { readonly from: string | null; readonly to: string },
  prune: boolean,
): CatalogFinding =>
  prune
    ? {
        ...of,
        fields: [{ field: 'couponKey', ours: from, theirs: to }],
        outcome: 'different',
        action: 'replace',
        reason: null,
      }
    : conflict(of, 'other_coupon');

const newestCode = (codes: RecordedCatalog['codes']) => codes.findLast(({ item }) => item.isActive) ?? codes.at(-1);
