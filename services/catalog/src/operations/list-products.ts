import type { ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { isMirrored, Product, type MirroredProduct } from '#persistence/product.entity.ts';
import type { Dependencies } from '../dependencies.ts';

interface ProductFilter extends Page {
  readonly activeOnly: boolean;
}

/** Lists a page of the project's products, newest first, and returns how many there are in all. */
export function listProducts({ em }: Pick<Dependencies, 'em'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    { activeOnly, limit, offset }: ProductFilter,
  ): Promise<[MirroredProduct[], number]> => {
    const [products, total] = await em.fork().findAndCount(
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
  };
}
