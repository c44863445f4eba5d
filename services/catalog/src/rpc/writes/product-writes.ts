import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import { changePrice } from '#operations/change-price.ts';
import { createPrice } from '#operations/create-price.ts';
import { createProduct } from '#operations/create-product.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';
import { updateProduct } from '#operations/update-record.ts';
import { findByKey } from '#persistence/find-by-key.ts';
import { Price } from '#persistence/price.entity.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ARCHIVED, changeRecord, entryOf, type WriteOf, type Writing } from './writing.ts';

/** The writes of products and prices. */
export function productWrites(dependencies: Dependencies) {
  const { em } = dependencies;
  const [create, createOfProduct] = [createProduct(dependencies), createPrice(dependencies)];
  const changeProduct = changeRecord(em, PRODUCT, updateProduct(dependencies));
  const changeOfProduct = changeRecord(em, PRICE, changePrice(dependencies));

  const isDeleted = async ({ teamId, projectId }: ProjectScope, id: PriceId): Promise<boolean> =>
    (await em.fork().count(Price, { id, teamId, projectId, deletedAt: null })) === 0;

  return {
    async create(writing: Writing, wanted: WriteOf<'create-product'>): Promise<string> {
      const { write: _write, isActive, ...body } = wanted;
      const { id } = await create(writing.scope, body, entryOf(writing, 'create'), writing.operationKey);
      return isActive ? id : changeProduct(writing, { id, changes: ARCHIVED, part: 'archive' });
    },

    update: (writing: Writing, { productId: id, changes }: WriteOf<'update-product'>): Promise<string> =>
      changeProduct(writing, { id, changes, part: 'change' }),

    async createPrice(writing: Writing, wanted: WriteOf<'create-price'>): Promise<string> {
      const { write: _write, productKey, isActive, replaces, interval, intervalCount, meter, ...terms } = wanted;
      const { scope, operationKey } = writing;
      const { id: productId } = await findByKey(em.fork(), PRODUCT, scope, productKey);
      const period = { interval: interval ?? undefined, intervalCount: intervalCount ?? undefined };
      const body = { ...terms, ...period, meter: meter ?? undefined, productId };
      const { id } = await createOfProduct(scope, body, entryOf(writing, 'create'), operationKey, replaces);
      // Once the new one exists.
      if (replaces && !(await isDeleted(scope, replaces)))
        await changeOfProduct(writing, { id: replaces, changes: ARCHIVED, part: 'replace' });
      return isActive ? id : changeOfProduct(writing, { id, changes: ARCHIVED, part: 'archive' });
    },

    updatePrice: (writing: Writing, { priceId: id, changes }: WriteOf<'update-price'>): Promise<string> =>
      changeOfProduct(writing, { id, changes, part: 'change' }),
  };
}
