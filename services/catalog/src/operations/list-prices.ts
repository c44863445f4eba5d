import type { ProductId, ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { isMirrored, Price, type MirroredPrice } from '#persistence/price.entity.ts';
import type { Dependencies } from '../dependencies.ts';

interface PriceFilter extends Page {
  readonly activeOnly: boolean;
  readonly productId?: ProductId | undefined;
}

/** Lists a page of the project's prices, newest first, and returns how many there are in all. */
export function listPrices({ em }: Pick<Dependencies, 'em'>) {
  return async (
    { teamId, projectId }: ProjectScope,
    { activeOnly, productId, limit, offset }: PriceFilter,
  ): Promise<[MirroredPrice[], number]> => {
    const [prices, total] = await em.fork().findAndCount(
      Price,
      {
        teamId,
        projectId,
        processorPriceId: { $ne: null },
        deletedAt: null,
        ...(activeOnly && { isActive: true }),
        ...(productId && { productId }),
      },
      { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
    );
    return [prices.filter(isMirrored), total];
  };
}
