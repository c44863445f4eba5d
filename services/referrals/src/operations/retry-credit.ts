import { LockMode } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { conflict, notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { parseCreditId } from '@billing/contracts/resources/referral';
import type { Outbox } from '@billing/messaging/outbox';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import { recordAudit } from '@billing/service/audit';
import { ReferralCredit, toResource } from '#persistence/referral-credit.entity.ts';
import { toCreditOperation, type CreditKind } from './credit-balance.ts';

export interface RetryCreditDependencies {
  readonly outbox: Outbox;
  readonly operationLog: Pick<OperationLog, 'enqueueAgain'>;
  readonly creditKind: CreditKind;
}

/**
 * Sends a credit again that failed. What the attempts before may have done at the processor is searched for first, so the
 * customer is credited once, however often this is called.
 * @throws Problem 404 `referral_credit_not_found`; 409 `referral_credit_not_failed`
 */
export function retryCredit({ outbox, operationLog, creditKind }: RetryCreditDependencies) {
  return ({ teamId, projectId }: ProjectScope, id: string, context: AuditContext) =>
    outbox.transaction(async (tx, publish) => {
      const where = { ...parseCreditId(id), teamId, projectId };
      const credit = await tx.findOne(ReferralCredit, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!credit) throw notFound('referral_credit');
      if (credit.status !== 'failed')
        throw conflict(
          'referral_credit_not_failed',
          `The credit is ${credit.status}; only one that failed can be retried.`,
        );
      tx.assign(credit, { status: 'pending', attempts: 0, error: null });
      await operationLog.enqueueAgain(tx, creditKind, toCreditOperation(credit), credit.createdAt);
      const changes = [{ field: 'status', from: 'failed', to: 'pending' }];
      recordAudit(publish, teamId, context, { target: { type: 'referral_credit', id }, changes });
      return toResource(credit);
    });
}
