import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditEntryId, type TeamId } from '@billing/contracts/ids';
import type { AuditContext, AuditEntry } from '@billing/contracts/resources/audit-entry';
import { executeBound } from '@billing/database/bound-statement';
import { auditEntryOf, type Audited } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';

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
  await executeBound(tx, INSERT, [JSON.stringify(entries.map(toRow))]);
}

/** The length of time in which a repeated refusal is counted, in milliseconds. */
const REPEAT_MS = 60_000;
/** Refusals of one actor and action within that time that have entries of their own, about different targets. */
const MAX_TARGETS = 10;

/**
 * Adds refused requests to the audit log. The same one by the same actor is one entry a minute, with a count, and so are
 * those about more than a few targets: nobody can bury what else the log says.
 */
export async function insertRefusals(em: EntityManager, entries: readonly TeamEntry[]): Promise<void> {
  const refusals = entries.map(async ({ teamId, entry }) => {
    const { actor, action, projectId, target } = entry;
    const minute = Math.floor(entry.at.getTime() / REPEAT_MS);
    const [row] = await executeBound<{ targets: number }>(em.fork(), COUNT_TARGETS, [
      teamId,
      new Date(minute * REPEAT_MS),
      actor.id,
      action,
    ]);
    const isOneOfMany = (row?.targets ?? 0) >= MAX_TARGETS;
    const about = isOneOfMany ? 'several' : [projectId, target];
    const id = derivedId(AuditEntryId, JSON.stringify([teamId, actor, action, about, minute]), 'refusal');
    return { teamId, entry: { ...entry, id, ...(isOneOfMany && { target: null }) } };
  });
  await executeBound(em.fork(), `with added as (${INSERT} returning id) ${COUNT_REPEATS}`, [
    JSON.stringify((await Promise.all(refusals)).map(toRow)),
  ]);
}

const INSERT = `insert into audit_entries
     select * from json_to_recordset($1::json) as
       (id text, team_id text, project_id text, at timestamptz, actor_type text, actor_id text, action text,
        target_type text, target_id text, request_id text, address text, outcome text, changes jsonb)
     on conflict (id) do nothing`;
const COUNT_TARGETS = `select count(*)::int as targets from audit_entries
     where team_id = $1 and at >= $2 and actor_id is not distinct from $3 and action = $4 and outcome = 'refused'`;
const COUNT_REPEATS = `insert into audit_repeats select id, 1 from json_to_recordset($1::json) as (id text)
      where id not in (select id from added)
     on conflict (entry_id) do update set count = audit_repeats.count + 1`;

const toRow = ({ teamId, entry: { actor, target, ...entry } }: TeamEntry) => ({
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
});
