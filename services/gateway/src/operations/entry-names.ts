import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { AuditEntryRow } from '#persistence/entities.ts';

type Row = Pick<AuditEntryRow, 'actorId' | 'targetId' | 'action' | 'outcome'>;

/** Of who made an entry, and of what it is about. */
export interface EntryNames {
  readonly actor: string | null;
  readonly target: string | null;
}

const FIND = `select id, name from auth."user" where id = any($1)
   union all select id, name from api_keys where team_id = $2 and id = any($1)
   union all select id, name from projects where team_id = $2 and id = any($1)
   union all select id, name from teams where id = $2`;

/** Finds the names of the users, API keys and projects in a team's entries, also of removed and revoked ones. */
export async function findEntryNames(
  em: EntityManager,
  teamId: TeamId,
  rows: readonly Row[],
): Promise<(row: Row) => EntryNames> {
  const ids = new Set(rows.flatMap(({ actorId, targetId }) => [actorId, targetId]));
  const found = await executeBound<{ id: string; name: string }>(em.fork(), FIND, [[...ids], teamId]);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null) => names.get(id ?? '') ?? null;
  return row => ({
    actor: isStranger(row) ? null : nameOf(row.actorId),
    // A refused request may name whomever.
    target: row.outcome === 'refused' ? null : nameOf(row.targetId),
  });
}

/** Whoever tries a link that is not theirs need not be of the team, which then learns no more than their id. */
const isStranger = ({ action, outcome }: Row): boolean => action === 'acceptInvitation' && outcome === 'refused';
