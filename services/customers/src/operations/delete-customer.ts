import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { Journal } from '@billing/processor/journal/write-journal';
import { remove } from './change-customer.ts';
import { lockCustomer } from './find-customer.ts';

/**
 * Removes a customer here, for good; the processor keeps its own, whose subscriptions go on.
 * @throws Problem 404
 */
export function deleteCustomer(journal: Journal) {
  return (scope: ProjectScope, id: CustomerId): Promise<void> =>
    journal.changeAlone(id, async tx => remove(tx, await lockCustomer(tx, scope, id), new Date()));
}
