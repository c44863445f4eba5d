import type { ProductId, ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { isListed, Price, type ListedPrice } from '#persistence/price.entity.ts';
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
  ): Promise<[ListedPrice[], number]> => {
    const [prices, total] = await em.fork().findAndCount(
      Price,
      {
        teamId,
        projectId,
        processorPriceId: { $ne: null },
        unitAmount: { $ne: null },
        deletedAt: null,
        ...(activeOnly && { isActive: true }),
        ...(productId && { productId }),
      },
      { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
    );
    return [prices.filter(isListed), total];
  };
}
