import { createFeature, findFeature, updateFeature } from '#operations/change-features.ts';
import {
  listProductFeatures,
  removeProductFeature,
  setProductFeature,
  type FeatureOwner,
} from '#operations/change-product-features.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';
import { hasContent } from '#domain/changes.ts';
import { findByKey } from '#persistence/find-by-key.ts';
import type { Dependencies } from '../../dependencies.ts';
import { ARCHIVED, entryOf, type WriteOf, type Writing } from './writing.ts';

/** The writes of features, and of what products and prices give. */
export function featureWrites(dependencies: Dependencies) {
  const { em } = dependencies;
  const [create, update] = [createFeature(dependencies), updateFeature(dependencies)];
  const [give, take] = [setProductFeature(dependencies), removeProductFeature(dependencies)];

  return {
    async create(writing: Writing, wanted: WriteOf<'create-feature'>): Promise<string> {
      const { key, name, type, values, merge, isActive } = wanted;
      const body = { key, name, type, values: values ? [...values] : undefined, merge: merge ?? undefined };
      const feature = await create(writing.scope, body, entryOf(writing, 'create'), writing.operationKey);
      if (!isActive && feature.isActive) await update(writing.scope, key, ARCHIVED, entryOf(writing, 'archive'));
      return feature.id;
    },

    async update(writing: Writing, { key, write: _write, ...changes }: WriteOf<'update-feature'>): Promise<string> {
      const feature = await findFeature(em.fork(), writing.scope, key);
      if (!hasContent(feature, changes)) await update(writing.scope, key, changes, entryOf(writing, 'change'));
      return feature.id;
    },

    async give(writing: Writing, wanted: WriteOf<'give-features'>): Promise<string> {
      const { scope } = writing;
      const fork = em.fork();
      const owner: FeatureOwner =
        wanted.owner === 'product'
          ? { type: 'product', id: (await findByKey(fork, PRODUCT, scope, wanted.key)).id }
          : { type: 'price', id: (await findByKey(fork, PRICE, scope, wanted.key)).id };
      const current = new Map((await listProductFeatures(fork, scope, owner)).map(it => [it.key, it]));
      for (const key of current.keys())
        if (!Object.hasOwn(wanted.features, key)) await take(scope, owner, key, entryOf(writing, `take:${key}`));
      for (const [key, given] of Object.entries(wanted.features)) {
        const before = current.get(key);
        if (!before || !hasContent(before, given))
          await give(scope, owner, key, given, entryOf(writing, `give:${key}`));
      }
      return owner.id;
    },
  };
}
