import { expect, it } from 'vitest';
import { countsText, differenceText, isDifference, isUndone, outcomeText } from './difference.ts';

const plain = (_color: string, text: string) => text;
const item = {
  type: 'product',
  key: 'pro',
  name: 'Pro',
  outcome: 'different',
  action: 'update',
  fields: [],
  reason: null,
  applied: false,
  liveSubscriptions: null,
  migration: null,
} as const;
const price = { ...item, type: 'price', key: 'pro_monthly', name: null } as const;

it('shows what is created by its fields, and what is changed by both values', () => {
  const created = {
    ...price,
    outcome: 'missing',
    action: 'create',
    fields: [
      { field: 'key', ours: null, theirs: 'pro_monthly' },
      { field: 'unitAmount', ours: null, theirs: 2999 },
      { field: 'metadata', ours: null, theirs: {} },
    ],
  } as const;
  const changed = {
    ...item,
    fields: [
      { field: 'name', ours: 'Pro', theirs: 'Professional' },
      { field: 'metadata', ours: { tier: '1', app: 'x' }, theirs: { tier: '2', app: 'x' } },
      { field: 'taxCode', ours: null, theirs: 'txcd_1' },
    ],
  };
  expect(differenceText([created, changed], plain)).toBe(`Products
  ~ pro (Pro)
      name: "Pro" → "Professional"
      metadata.tier: "1" → "2"
      taxCode: nothing → "txcd_1"

Prices
  + pro_monthly
      unitAmount: 2999
`);
});

it('says who stays on a price that is replaced, and how they are moved', () => {
  const migration = { fromPriceId: 'pri_1', toPriceKey: 'pro_monthly' } as const;
  const replaced = { ...price, action: 'replace', liveSubscriptions: 3, migration } as const;
  expect(differenceText([replaced], plain)).toContain(
    '! pro_monthly  replace (3 subscriptions stay; then: price-migrations {"fromPriceId":"pri_1","toPriceKey":"pro_monthly"})',
  );
});

it('tells what is archived, in conflict, and left alone apart', () => {
  const archived = { ...item, outcome: 'extra', action: 'archive' } as const;
  const left = { ...item, outcome: 'extra', action: 'none' } as const;
  const conflict = { ...item, outcome: 'conflict', action: 'none', reason: 'twin' } as const;
  const text = differenceText([archived, conflict, left], plain);
  expect(text).toContain('- pro (Pro)  archive');
  expect(text).toContain('× pro (Pro)  conflict twin: The same is here without a key');
  expect(text).toContain('· pro (Pro)  only here; --prune archives it');
  expect([archived, conflict, left].map(isDifference)).toEqual([true, true, false]);
});

it('counts what was found, and names the report', () => {
  const counts = { product: { same: 4, missing: 0, different: 1, extra: 0, conflict: 0, skipped: 0, applied: 0 } };
  expect(countsText([item], { id: 'sync_1', types: ['product'], counts })).toBe(
    '0 to create, 1 to update, 0 to replace, 0 to archive, 0 in conflict, 4 equal. Report: sync_1',
  );
});

it('says what an apply has done, and what it was refused', () => {
  const done = { ...item, applied: true };
  const refused = { ...price, reason: 'The tax code is unknown.' };
  expect(outcomeText([done, refused], plain)).toBe(
    'Products\n  ~ pro (Pro)  applied\n\nPrices\n  × pro_monthly  not applied: The tax code is unknown.\n',
  );
  expect([done, refused].map(isUndone)).toEqual([false, true]);
});
