import { randomUUID } from 'node:crypto';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { SyncId, type ProjectScope, type TeamId } from '@billing/contracts/ids';
import { conflict, notFound, type Problem } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { SYNC_TYPES, type Sync as SyncResource, type syncCreate } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import { ENDED } from '@billing/processor/turns';
import { recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { z } from 'zod';
import { lockTeam } from '#accounts/team-lock';
import { requireAccount } from '#accounts/connection';
import type { SyncFilter } from './sync-decision.rules.ts';
import { firstStage } from './sync-stage.rules.ts';
import { Sync } from './sync.entity.ts';
import { describeSync } from './find-syncs.ts';

type Wanted = Omit<z.output<typeof syncCreate>, 'filter'> & { readonly filter: SyncFilter };

/**
 * Queues a sync of a project. A team has one at a time; a nightly report gives way. The same operation key gives the same
 * sync.
 * @throws Problem 409 `sync_running`, `processor_not_connected`
 */
export function startSync(outbox: Outbox) {
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
      await requireAccount(tx, teamId);
      await cancelNightly(tx, teamId);
      const ordered = SYNC_TYPES.filter(type => types.includes(type));
      const wanted = {
        id,
        teamId,
        projectId,
        kind: 'account' as const,
        mode,
        types: ordered,
        filter,
        markAtProcessor,
        nightly: false,
      };
      if (!(await queueSync(tx, { ...wanted, ...firstStage(wanted) }))) throw syncRunning();
      const changes = [{ field: 'mode', from: null, to: mode }];
      recordAudit(publish, teamId, context, { target: { type: 'sync', id }, changes });
      return describeSync(tx, await tx.findOneOrFail(Sync, { id, teamId, projectId }));
    });
}

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

/** Cancels the report of the night of a team, which gives way to what somebody starts. */
export const cancelNightly = (tx: EntityManager, teamId: TeamId): Promise<unknown> =>
  tx.execute(
    `update syncs set status = 'canceled', ${ENDED}
      where team_id = ? and nightly and status in ('queued', 'running')`,
    [teamId],
  );

/** 409: a team has one sync at a time. */
export const syncRunning = (): Problem =>
  conflict('sync_running', 'A sync of this team is queued or running; wait for it, or cancel it.', 5);

type QueuedSync = Pick<
  Sync,
  | 'id'
  | 'teamId'
  | 'projectId'
  | 'kind'
  | 'mode'
  | 'types'
  | 'filter'
  | 'markAtProcessor'
  | 'nightly'
  | 'type'
  | 'phase'
>;

/** Inserts a sync unless one of the team is queued or running; returns whether it did. */
export async function queueSync(em: EntityManager, sync: QueuedSync): Promise<boolean> {
  const { id, teamId, projectId, kind, mode, types, filter, markAtProcessor, nightly, type, phase } = sync;
  const inserted = await executeBound(
    em,
    `insert into syncs (id, team_id, project_id, mode, status, types, filter, mark_at_processor, nightly, type, phase,
                        kind, created_at, due_at, failures)
     values ($1, $2, $3, $4, 'queued', $5::text[], $6::jsonb, $7, $8, $9, $10, $11, now(), now(), 0)
     on conflict (team_id) where status in ('queued', 'running') do nothing returning 1`,
    [id, teamId, projectId, mode, types, JSON.stringify(filter), markAtProcessor, nightly, type, phase, kind],
  );
  return inserted.length > 0;
}
