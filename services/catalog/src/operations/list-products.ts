import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';

interface ProductFilter extends Page {
  readonly activeOnly: boolean;
}

/** A page of the project's products, newest first, and how many there are in all. */
export async function listProducts(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { activeOnly, limit, offset }: ProductFilter,
): Promise<[MirroredProduct[], number]> {
  const [products, total] = await em.findAndCount(
    Product,
    {
      teamId,
      projectId,
      processorProductId: { $ne: null },
      deletedAt: null,
      ...(activeOnly && { isActive: true }),
    },
    { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
  );
  return [products.filter(isMirrored), total];
}
