import { expect, it } from 'vitest';
import { isMissing, isRefused, isRefusedFor } from '../../src/errors.ts';
import { readPrice } from '../../src/snapshots/catalog.ts';
import type { Cases } from './cases.ts';

/** Tests products and prices. */
export function catalogCases({ processor, key, createPrice }: Cases): void {
  it('creates, changes and archives products', async () => {
    const texts = { name: 'Pro', description: 'All of it', unitLabel: 'seat', taxCode: 'txcd_10103001' };
    const wanted = { ...texts, metadata: { projectId: 'proj_1' } };
    const product = await processor().createProduct(wanted, key());
    expect(product).toMatchObject({ ...wanted, isActive: true, defaultPriceId: null });
    const renamed = await processor().updateProduct(product.id, { unitLabel: 'user' }, key());
    expect(renamed).toMatchObject({ ...wanted, unitLabel: 'user' });
    const changes = {
      name: 'Pro 2',
      description: null,
      unitLabel: null,
      taxCode: null,
      isActive: false,
      metadata: { projectId: '', a: '1' },
    };
    const updated = await processor().updateProduct(product.id, changes, key());
    expect(updated).toMatchObject({ ...changes, metadata: { a: '1' } });
  });

  it('creates and archives recurring and one-time prices', async () => {
    const recurring = await createPrice({ interval: 'month', intervalCount: 3 });
    expect(recurring).toMatchObject({
      unitAmount: 2_999,
      currency: 'usd',
      type: 'recurring',
      interval: 'month',
      intervalCount: 3,
      isActive: true,
    });
    expect(await createPrice(null)).toMatchObject({ type: 'one_time', interval: null, intervalCount: null });
    const archived = await processor().updatePrice(recurring.id, { isActive: false, metadata: { a: '1' } }, key());
    expect(archived).toMatchObject({ id: recurring.id, isActive: false, metadata: { a: '1' } });
  });

  it('sells a price in several currencies, to which others are added', async () => {
    const currencyOptions = { eur: { unitAmount: 2_799, taxBehavior: 'exclusive' } } as const;
    const price = await createPrice(null, { currencyOptions });
    const amountsOf = (snapshot: typeof price) =>
      [...(snapshot.currencyOptions ?? [])]
        .map(([currency, { unitAmount }]): [string, number | null] => [currency, unitAmount])
        .toSorted(([one], [other]) => one.localeCompare(other));
    const created = [
      ['eur', 2_799],
      ['usd', 2_999],
    ];
    expect(amountsOf(price)).toEqual(created);
    expect(amountsOf(await processor().updatePrice(price.id, { metadata: { a: '1' } }, key()))).toEqual(created);
    const added = { gbp: { unitAmount: 2_499 }, eur: { taxBehavior: 'exclusive' } } as const;
    const all = [created[0], ['gbp', 2_499], created[1]];
    expect(amountsOf(await processor().updatePrice(price.id, { currencyOptions: added }, key()))).toEqual(all);
    expect(amountsOf(await processor().findPrice(price.id))).toEqual(all);
    const { object } = await processor().findListed('price', price.id);
    expect(amountsOf(readPrice(object))).toEqual(all);
  });

  it('refuses a tax code that does not exist', async () => {
    const product = { name: 'Pro', taxCode: 'txcd_12345678', metadata: {} };
    const unknown = (err: unknown) => isRefusedFor(err, { param: 'tax_code' });
    await expect(processor().createProduct(product, key())).rejects.toSatisfy(unknown);
    const { id } = await processor().createProduct({ ...product, taxCode: null }, key());
    await expect(processor().updateProduct(id, product, key())).rejects.toSatisfy(unknown);
    expect(await processor().findProduct(id)).toMatchObject({ taxCode: null });
  });

  it('sets the tax behavior of a price once', async () => {
    const price = await createPrice(null);
    expect(price.taxBehavior).toBe('unspecified');
    const set = (taxBehavior: 'exclusive' | 'inclusive' | 'unspecified') =>
      processor().updatePrice(price.id, { taxBehavior }, key());
    for (const repeated of ['exclusive', 'exclusive'] as const)
      expect(await set(repeated)).toMatchObject({ taxBehavior: 'exclusive' });
    for (const other of ['inclusive', 'unspecified'] as const) await expect(set(other)).rejects.toSatisfy(isRefused);
    expect(await processor().findPrice(price.id)).toMatchObject({ taxBehavior: 'exclusive' });
  });

  it('rejects a price of an unknown product', async () => {
    const price = { productId: 'prod_none', unitAmount: 1, currency: 'usd', recurring: null, metadata: {} };
    await expect(processor().createPrice(price, key())).rejects.toSatisfy(isMissing);
  });
}
