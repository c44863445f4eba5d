import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProductId, ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { Price } from '#persistence/price.entity.ts';
import { isListed, type ListedPrice } from './find-price.ts';

interface PriceFilter extends Page {
  readonly activeOnly: boolean;
  readonly productId?: ProductId | undefined;
}

/** A page of the project's prices, newest first, and how many there are in all. */
export async function listPrices(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  { activeOnly, productId, limit, offset }: PriceFilter,
): Promise<[ListedPrice[], number]> {
  const [prices, total] = await em.findAndCount(
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
}
