import { randomUUID } from 'node:crypto';
import { SyncId, type ProjectScope } from '@billing/contracts/ids';
import { conflict } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { SYNC_TYPES, type Sync as SyncResource, type syncCreate } from '@billing/contracts/resources/sync';
import type { Outbox } from '@billing/messaging/outbox';
import { recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { z } from 'zod';
import { firstStage } from '#domain/sync-stage.ts';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';
import { Sync } from '#persistence/sync.entity.ts';
import { describeSync } from './describe-sync.ts';
import { lockTeam } from './lock-team.ts';

type Wanted = z.output<typeof syncCreate>;

interface StartSyncParts {
  readonly outbox: Outbox;
  readonly now: () => Date;
}

/**
 * Queues a sync of a project. A team has one at a time; a nightly report gives way. The same operation key gives the same
 * sync.
 * @throws Problem 409 `sync_running`, `processor_not_connected`
 */
export function startSync({ outbox, now }: StartSyncParts) {
  return (
    { teamId, projectId }: ProjectScope,
    { mode, types = [...SYNC_TYPES], filter, markAtProcessor }: Wanted,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<SyncResource> =>
    outbox.transaction(async (tx, publish) => {
      const id = derivedId(SyncId, operationKey, 'sync');
      await lockTeam(tx, teamId);
      const existing = await tx.findOne(Sync, { id, teamId, projectId });
      if (existing) return describeSync(tx, existing);
      const account = await tx.findOne(ProcessorAccount, { teamId });
      if (!account?.sealedSecretKey)
        throw conflict('processor_not_connected', 'The payment processor is not connected to this team.');
      await tx.execute(
        `update syncs set status = 'canceled', finished_at = clock_timestamp(), due_at = null, lease_id = null
          where team_id = ? and nightly and status in ('queued', 'running')`,
        [teamId],
      );
      if ((await tx.count(Sync, { teamId, status: { $in: ['queued', 'running'] } })) > 0)
        throw conflict('sync_running', 'A sync of this team is queued or running; wait for it, or cancel it.', 5);
      const ordered = SYNC_TYPES.filter(type => types.includes(type));
      const { type, phase, after } = firstStage({ types: ordered });
      const sync = tx.create(Sync, {
        id,
        teamId,
        projectId,
        mode,
        status: 'queued',
        types: ordered,
        filter,
        markAtProcessor,
        nightly: false,
        type,
        phase,
        after,
        progress: {},
        counts: null,
        error: null,
        createdAt: now(),
        startedAt: null,
        finishedAt: null,
        dueAt: now(),
        leaseId: null,
        failures: 0,
      });
      await tx.flush();
      const changes = [{ field: 'mode', from: null, to: mode }];
      recordAudit(publish, teamId, context, { target: { type: 'sync', id }, changes });
      return describeSync(tx, sync);
    });
}
