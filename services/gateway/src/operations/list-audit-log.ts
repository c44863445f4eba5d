import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { Page } from '@billing/contracts/pagination';
import type { AuditEntry } from '@billing/contracts/resources/audit-entry';
import { AuditEntryRow } from '#persistence/audit-entry.entity.ts';

interface Filter {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly projectId?: ProjectId | undefined;
}

/** Lists a page of a team's audit log, newest first, and returns how many entries match in all. */
export function listAuditLog({ em }: { readonly em: EntityManager }) {
  return async (
    teamId: TeamId,
    { limit, offset, action, actor, projectId }: Page & Filter,
  ): Promise<[AuditEntry[], number]> => {
    const wanted = { ...(action && { action }), ...(actor && { actorId: actor }), ...(projectId && { projectId }) };
    const [rows, total] = await em
      .fork()
      .findAndCount(AuditEntryRow, { teamId, ...wanted }, { orderBy: { at: 'desc', id: 'asc' }, limit, offset });
    return [rows.map(toEntry), total];
  };
}

const toEntry = ({ actorType, actorId, targetType, targetId, ...row }: AuditEntryRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: { type: actorType, id: actorId },
  action: row.action,
  projectId: row.projectId,
  target: targetType === null || targetId === null ? null : { type: targetType, id: targetId },
  requestId: row.requestId,
  address: row.address,
  outcome: row.outcome,
  changes: row.changes,
});
