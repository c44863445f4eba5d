import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { releaseEmails } from '#persistence/customer-emails.ts';
import { lockCustomer } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveDeleted } from './save-customer.ts';

/**
 * Deletes a customer here, for good; the processor keeps its own, whose subscriptions go on.
 * @throws Problem 404
 */
export function deleteCustomer({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return (scope: ProjectScope, id: CustomerId): Promise<void> =>
    operationLog.runExclusively(id, async (tx, publish) => {
      const customer = await lockCustomer(tx, scope, id);
      saveDeleted(tx, publish, customer, { now: now() });
      await releaseEmails(tx, [customer]);
    });
}
