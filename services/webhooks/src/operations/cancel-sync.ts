import { LockMode } from '@mikro-orm/postgresql';
import type { ProjectScope, SyncId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Sync as SyncResource } from '@billing/contracts/resources/sync';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { Sync } from '#persistence/sync.entity.ts';
import { describeSync } from './find-syncs.ts';

/**
 * Stops a sync: the process that works on it loses its lease and ends after the step under way. What it has found and
 * applied stays. One that has ended stays as it is.
 * @throws Problem 404
 */
export function cancelSync({ outbox, now }: { readonly outbox: Outbox; readonly now: () => Date }) {
  return ({ teamId, projectId }: ProjectScope, id: SyncId, context: AuditContext): Promise<SyncResource> =>
    outbox.transaction(async (tx, publish) => {
      const sync = await tx.findOne(Sync, { id, teamId, projectId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!sync) throw notFound('sync');
      const isOpen = sync.status === 'queued' || sync.status === 'running';
      const changes = isOpen ? [{ field: 'status', from: sync.status, to: 'canceled' }] : [];
      if (isOpen) tx.assign(sync, { status: 'canceled', finishedAt: now(), dueAt: null, leaseId: null });
      await tx.flush();
      recordAudit(publish, teamId, context, { target: { type: 'sync', id }, changes });
      return describeSync(tx, sync);
    });
}
