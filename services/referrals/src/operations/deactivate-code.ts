import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Outbox, Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { changesOf, recordAudit } from '@billing/service/audit';
import { CAUSED_BY_SYSTEM, causeOfRequest } from '@billing/service/event-causes';
import { deactivateCodes, findCode } from '#persistence/referral-codes.ts';
import { publishCode } from './publish-changes.ts';

export interface DeactivateCodeDependencies {
  readonly outbox: Outbox;
  readonly now: () => Date;
}

/**
 * Deactivates a code: it can no longer be applied; its referrals stay. Deactivating it again changes nothing.
 * @throws Problem 404 `referral_code_not_found`
 */
export function deactivateCode({ outbox, now }: DeactivateCodeDependencies) {
  return (scope: ProjectScope, code: string, context: AuditContext) =>
    outbox.transaction(async (tx, publish) => {
      const found = await findCode(tx, scope, code, LockMode.PESSIMISTIC_WRITE);
      const changes = changesOf({ isActive: found.isActive }, { isActive: false });
      recordAudit(publish, scope.teamId, context, { target: { type: 'referral_code', id: code }, changes });
      if (found.isActive) {
        const at = now();
        tx.assign(found, { isActive: false, version: found.version + 1, deactivatedAt: at });
        publishCode(publish, found, { at, cause: causeOfRequest(context) });
      }
      return { code, isActive: false as const };
    });
}

interface DeletedCustomer extends ProjectScope {
  readonly id: CustomerId;
  readonly trace: TraceCarrier;
}

/** Deactivates the codes of deleted customers, in the caller's transaction. */
export async function deactivateCodesOfCustomers(
  tx: EntityManager,
  customers: readonly DeletedCustomer[],
  deactivatedAt: Date,
  publish: Publish,
): Promise<void> {
  if (customers.length === 0) return;
  for (const code of await deactivateCodes(tx, customers, deactivatedAt)) {
    const { teamId, projectId, customerId } = code;
    const owner = customers.find(one => one.id === customerId && one.projectId === projectId && one.teamId === teamId);
    publishCode(publish, code, { at: deactivatedAt, cause: CAUSED_BY_SYSTEM, trace: owner?.trace });
  }
}
