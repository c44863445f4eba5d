import type { ProjectScope } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Lists a page of the project's customers, newest first, and returns how many there are in all. */
export function listCustomers({ em }: Pick<Dependencies, 'em'>) {
  return async ({ teamId, projectId }: ProjectScope, { limit, offset }: Page): Promise<[LinkedCustomer[], number]> => {
    const [customers, total] = await em
      .fork()
      .findAndCount(
        Customer,
        { teamId, projectId, processorCustomerId: { $ne: null }, deletedAt: null },
        { orderBy: { createdAt: 'desc', id: 'asc' }, limit, offset },
      );
    return [customers.filter(isLinked), total];
  };
}
