import { catalogDocument } from '@billing/contracts/resources/catalog-document';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documents, reordered, type WholeDocument } from '../../test/catalog/documents.ts';
import { apply, newProject, read, textOfProject, type Project } from '../../test/catalog/project.ts';
import { compareCatalog } from './compare.rules.ts';
import { itemsOf, withoutExpired } from './items.rules.ts';
import { PASSES, passesOf, writesOf } from './writes.rules.ts';

const RUNS = { numRuns: runs(2_000) };
const PRUNE = { prune: true, adopt: false };

/** Returns a project that is equal to a document. */
function projectOf(document: WholeDocument, name?: string): Project {
  const project = newProject(name);
  expect(apply(project, document).refusals).toEqual([]);
  return project;
}

describe('a project that a document was applied to', () => {
  it('differs neither from the document nor from its own export', () => {
    fc.assert(
      fc.property(documents, document => {
        const project = projectOf(document);
        expect(apply(project, document, PRUNE).findings).toEqual([]);
        const shown = catalogDocument.parse(JSON.parse(textOfProject(project)));
        expect(apply(project, shown, PRUNE).findings).toEqual([]);
      }),
      RUNS,
    );
  });

  it('has the same bytes as another one, with other ids and in another order', () => {
    fc.assert(
      fc.property(documents, document => {
        expect(textOfProject(projectOf(reordered(document), 'other'))).toBe(textOfProject(projectOf(document)));
      }),
      RUNS,
    );
  });
});

/** Returns what is for sale in a project: a document has what is archived, too, and what was pruned stays. */
function activeOf(project: Project): unknown {
  const { features, products, coupons, ...others } = JSON.parse(textOfProject(project)) as WholeDocument;
  const isActive = (item: { readonly isActive?: boolean }) => item.isActive !== false;
  return {
    ...others,
    features: features.filter(isActive),
    products: products.filter(isActive).map(one => ({ ...one, prices: (one.prices ?? []).filter(isActive) })),
    coupons: coupons
      .map(one => ({ ...one, promotionCodes: (one.promotionCodes ?? []).filter(isActive) }))
      .filter(one => one.promotionCodes.length > 0),
  };
}

describe('a second document', () => {
  it('makes the project equal to it, but for what is archived', () => {
    fc.assert(
      fc.property(documents, documents, (first, second) => {
        const project = projectOf(first);
        const { refusals } = apply(project, second, PRUNE);
        // An archived product gets no new prices, until it is active.
        fc.pre(!refusals.some(one => one.endsWith('product_inactive')));
        expect(refusals).toEqual([]);
        expect(apply(project, second, PRUNE).findings).toEqual([]);
        expect(activeOf(project)).toEqual(activeOf(projectOf(second)));
        const shown = catalogDocument.parse(JSON.parse(textOfProject(project)));
        expect(apply(project, shown, PRUNE).findings).toEqual([]);
      }),
      RUNS,
    );
  });

  it('has the same effect when each pass is made again', () => {
    fc.assert(
      fc.property(documents, documents, (first, second) => {
        const [once, twice] = [projectOf(first), projectOf(first)];
        apply(once, second, PRUNE);
        apply(twice, second, { ...PRUNE, twice: true });
        expect(textOfProject(twice)).toBe(textOfProject(once));
      }),
      RUNS,
    );
  });

  it('archives what it lacks with prune alone, and deletes nothing', () => {
    fc.assert(
      fc.property(documents, documents, fc.boolean(), (first, second, prune) => {
        const project = projectOf(first);
        const before = idsOf(project);
        const known = read(project);
        const findings = compareCatalog(itemsOf(second), known, { prune, adopt: false });
        for (const finding of findings.filter(({ outcome }) => outcome === 'extra'))
          for (const write of PASSES.flatMap(pass => writesOf(finding, itemsOf(second), pass)))
            expect({ prune, ...write }).toMatchObject(
              'changes' in write ? { prune: true, changes: { isActive: false } } : { prune: true, isActive: false },
            );
        apply(project, second, { prune });
        expect(idsOf(project)).toEqual(expect.arrayContaining(before));
      }),
      RUNS,
    );
  });

  it('writes nothing of what is in conflict', () => {
    fc.assert(
      fc.property(documents, documents, options, (first, second, wanted) => {
        const project = projectOf(first);
        forgetKeys(project, ({ name }) => name !== 'Pro');
        const items = itemsOf(second);
        const findings = compareCatalog(items, read(project), wanted);
        const inConflict = findings.filter(({ outcome }) => outcome === 'conflict');
        const ids = inConflict.flatMap(({ id }) => id ?? []);
        for (const one of inConflict) expect(passesOf(one, items)).toEqual([]);
        const products = new Set(inConflict.filter(({ type }) => type === 'product').map(({ key }) => key));
        const coupons = new Set(inConflict.filter(({ type }) => type === 'coupon').map(({ key }) => key));
        const prices = (items.prices ?? []).filter(one => products.has(one.productKey)).map(({ key }) => key);
        const codes = (items.codes ?? []).filter(one => coupons.has(one.couponKey)).map(({ code }) => code);
        const touched = findings.filter(({ action }) => action !== 'none');
        expect(touched.filter(({ type, key }) => type === 'price' && prices.includes(key))).toEqual([]);
        expect(touched.filter(({ type, key }) => type === 'promotion_code' && codes.includes(key))).toEqual([]);
        const before = structuredClone(project.records);
        apply(project, second, wanted);
        const after = new Map<string, object>(allOf(project.records).map(one => [one.id, one]));
        const parentOf = (record: object) =>
          Object.entries(record).find(([field]) => field === 'productId' || field === 'couponId')?.[1];
        const untouched = allOf(before).filter(one => ids.includes(one.id) || ids.includes(parentOf(one)));
        for (const record of untouched) expect(after.get(record.id)).toEqual(record);
      }),
      RUNS,
    );
  });
});

const options = fc.record({ prune: fc.boolean(), adopt: fc.boolean() });

const allOf = (records: Project['records']) => Object.values(records).flat();
const idsOf = ({ records }: Project): string[] => allOf(records).map(({ id }) => id);

/** Takes the keys from records, as if they had never had one; the name of a price is that of its product. */
function forgetKeys({ records }: Project, isKept: (record: { readonly name: string | null }) => boolean): void {
  const names = new Map(records.products.map(({ id, name }) => [id, name]));
  const unnamed = <Item extends { readonly key: string | null }>(item: Item, name: string | null): Item =>
    isKept({ name }) ? item : { ...item, key: null };
  records.products = records.products.map(one => unnamed(one, one.name));
  records.prices = records.prices.map(one => unnamed(one, names.get(one.productId) ?? null));
  records.coupons = records.coupons.map(one => unnamed(one, one.name));
}

it('does not want a promotion code that has expired', () => {
  const coupon = { key: 'spring', name: 'Spring', percentOff: 20, duration: 'once' };
  const promotionCodes = [{ code: 'OVER', expiresAt: '2026-06-01T00:00:00Z' }, { code: 'OPEN' }];
  const items = itemsOf(catalogDocument.parse({ version: 1, coupons: [{ ...coupon, promotionCodes }] }));
  const codesAt = (now: string) => withoutExpired(items, new Date(now)).codes?.map(({ code }) => code);
  expect(codesAt('2026-05-31T23:59:59Z')).toEqual(['OVER', 'OPEN']);
  expect(codesAt('2026-06-01T00:00:00Z')).toEqual(['OPEN']);
});

describe('a key', () => {
  const price = (key: string) => ({ key, unitAmount: 1_000, currency: 'usd', interval: 'month' }) as const;
  const withPrices = (keys: Readonly<Record<string, readonly string[]>>) =>
    catalogDocument.parse({
      version: 1,
      products: Object.entries(keys).map(([key, its]) => ({ key, name: key, prices: its.map(price) })),
    });

  it('of an archived price is free for one of another product, and that of an active one is not', () => {
    const project = newProject();
    apply(project, withPrices({ pro: ['monthly'], team: [] }));
    const moving = withPrices({ pro: [], team: ['monthly'] });
    expect(apply(project, moving).findings).toMatchObject([{ type: 'price', reason: 'other_product', action: 'none' }]);
    apply(project, withPrices({ pro: [], team: [] }), PRUNE);
    expect(apply(project, moving).refusals).toEqual([]);
    expect(apply(project, moving, PRUNE).findings).toEqual([]);
  });

  it('of a price whose product has none is not extra', () => {
    const project = newProject();
    apply(project, withPrices({ pro: ['monthly'] }));
    project.records.products = project.records.products.map(one => ({ ...one, key: null }));
    expect(apply(project, withPrices({}), PRUNE).findings).toEqual([]);
    expect(apply(project, withPrices({ pro: [] }), PRUNE).findings).toMatchObject([
      { type: 'product', reason: 'twin' },
    ]);
    const adopted = apply(project, withPrices({ pro: [] }), { prune: true, adopt: true });
    expect(adopted.findings.map(({ type, action }) => [type, action])).toEqual([
      ['product', 'update'],
      ['price', 'archive'],
    ]);
  });
});

describe('what has no key', () => {
  it('is left alone', () => {
    fc.assert(
      fc.property(documents, documents, fc.boolean(), (first, second, prune) => {
        const project = projectOf(first);
        forgetKeys(project, ({ name }) => name === 'Free');
        const before = allOf(project.records).filter(one => 'key' in one && one.key === null);
        apply(project, second, { prune });
        const after = new Map<string, object>(allOf(project.records).map(one => [one.id, one]));
        for (const record of before) expect(after.get(record.id)).toEqual(record);
      }),
      RUNS,
    );
  });

  it('gets the key of its twin where that is wanted, and is not created again', () => {
    fc.assert(
      fc.property(documents, document => {
        const project = projectOf(document);
        // Of what is archived without a key nobody knows.
        fc.pre(document.products.every(one => one.isActive !== false));
        const before = idsOf(project).filter(id => id.startsWith('pp_') || id.startsWith('cpn_'));
        forgetKeys(project, () => false);
        expect(apply(project, document, { adopt: true }).refusals).toEqual([]);
        expect(apply(project, document, { adopt: true }).findings).toEqual([]);
        expect(idsOf(project).filter(id => id.startsWith('pp_') || id.startsWith('cpn_'))).toEqual(before);
      }),
      RUNS,
    );
  });
});
