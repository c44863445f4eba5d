import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { AuditContext, AuditEntry } from '@billing/contracts/resources/audit-entry';
import { executeBound } from '@billing/database/bound-statement';
import { auditEntryOf, type Audited } from '@billing/service/audit';

interface TeamEntry {
  readonly teamId: TeamId;
  readonly entry: AuditEntry;
}

/** Adds a write of the gateway itself to the audit log, in the transaction of the change. */
export function audit(tx: EntityManager, teamId: TeamId, context: AuditContext, audited: Audited): Promise<void> {
  return insertAuditEntries(tx, [{ teamId, entry: auditEntryOf(context, audited) }]);
}

/** Adds entries to the audit log; those that are in it already, by their ids, stay as they are. */
export async function insertAuditEntries(tx: EntityManager, entries: readonly TeamEntry[]): Promise<void> {
  const rows = entries.map(({ teamId, entry: { actor, target, ...entry } }) => ({
    id: entry.id,
    team_id: teamId,
    project_id: entry.projectId,
    at: entry.at,
    actor_type: actor.type,
    actor_id: actor.id,
    action: entry.action,
    target_type: target?.type,
    target_id: target?.id,
    request_id: entry.requestId,
    address: entry.address,
    outcome: entry.outcome,
    changes: entry.changes,
  }));
  await executeBound(
    tx,
    `insert into audit_entries
     select * from json_to_recordset($1::json) as
       (id text, team_id text, project_id text, at timestamptz, actor_type text, actor_id text, action text,
        target_type text, target_id text, request_id text, address text, outcome text, changes jsonb)
     on conflict (id) do nothing`,
    [JSON.stringify(rows)],
  );
}
