import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { recordAudit } from '@billing/service/audit';
import { causeOfRequest } from '@billing/service/event-causes';
import { releaseIdentifiers } from '#persistence/customer-identifiers.ts';
import { customers } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveDeleted } from './save-customer.ts';
import { settleEmails } from './settle-emails.ts';

/**
 * Deletes a customer here, for good; the processor keeps its own, whose subscriptions go on.
 * @throws Problem 404
 */
export function deleteCustomer({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return (scope: ProjectScope, id: CustomerId, context: AuditContext): Promise<void> =>
    operationLog.runExclusively(id, async (tx, publish) => {
      const customer = await customers.lock(tx, scope, id);
      const change = { now: now(), cause: causeOfRequest(context) };
      saveDeleted(tx, publish, customer, change);
      await settleEmails(tx, publish, await releaseIdentifiers(tx, [customer]), change);
      recordAudit(publish, scope.teamId, context, { target: { type: 'customer', id }, changes: [] });
    });
}
