import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { scopedKey } from '@billing/database/project-objects';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readPrice, readProduct } from '@billing/processor/snapshots/catalog';
import type { z } from 'zod';
import { toContent as toPriceContent } from '#domain/price.ts';
import { toContent as toProductContent } from '#domain/product.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';

type Request = z.output<(typeof CompareObjects)['catalog']['request']>;

/** Compares products or prices of the processor with the project's records. */
export function compareCatalog(em: EntityManager) {
  return async ({ teamId, projectId, type, objects }: Request): Promise<Comparison[]> =>
    type === 'price'
      ? comparePrices(em.fork(), { teamId, projectId }, objects)
      : compareProducts(em.fork(), { teamId, projectId }, objects);
}

async function compareProducts(em: EntityManager, scope: ProjectScope, objects: readonly unknown[]) {
  const snapshots = objects.map(readProduct);
  const ids = snapshots.map(({ id }) => ({ scope, id }));
  const records = await PRODUCT.rows.findByProcessorIds(em, ids);
  return snapshots.map((snapshot): Comparison => {
    const record = records.get(scopedKey({ scope, id: snapshot.id }));
    if (!record) return { outcome: 'missing', id: null, fields: [], hasParent: true };
    const { id, name, description, isActive, metadata, deletedAt } = record;
    if (deletedAt) return { outcome: 'deleted', id, fields: [], hasParent: true };
    const fields = fieldDifferences({ name, description, isActive, metadata }, toProductContent(snapshot));
    return { outcome: fields.length > 0 ? 'different' : 'same', id, fields, hasParent: true };
  });
}

async function comparePrices(em: EntityManager, scope: ProjectScope, objects: readonly unknown[]) {
  const snapshots = objects.map(readPrice);
  const records = await PRICE.rows.findByProcessorIds(
    em,
    snapshots.map(({ id }) => ({ scope, id })),
  );
  const products = await PRODUCT.rows.findByProcessorIds(
    em,
    snapshots.map(({ productId: id }) => ({ scope, id })),
  );
  return snapshots.map((snapshot): Comparison => {
    const product = products.get(scopedKey({ scope, id: snapshot.productId }));
    const hasParent = product !== undefined && product.deletedAt === null;
    const record = records.get(scopedKey({ scope, id: snapshot.id }));
    if (!record) return { outcome: 'missing', id: null, fields: [], hasParent };
    const { id, isActive, metadata, deletedAt } = record;
    if (deletedAt) return { outcome: 'deleted', id, fields: [], hasParent };
    const fields = fieldDifferences({ isActive, metadata }, toPriceContent(snapshot));
    return { outcome: fields.length > 0 ? 'different' : 'same', id, fields, hasParent };
  });
}
