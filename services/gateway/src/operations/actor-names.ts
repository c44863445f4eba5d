import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { AuditEntryRow } from '#persistence/entities.ts';

type Row = Pick<AuditEntryRow, 'actorId' | 'action' | 'outcome'>;

const FIND = `select id, name from auth."user" where id = any($1)
   union all select id, name from api_keys where team_id = $2 and id = any($1)`;

/** Finds the names of the users and API keys in a team's entries, also of removed and revoked ones. */
export async function findActorNames(
  em: EntityManager,
  teamId: TeamId,
  rows: readonly Row[],
): Promise<(row: Row) => string | null> {
  const ids = new Set(rows.map(({ actorId }) => actorId));
  const found = await executeBound<{ id: string; name: string }>(em.fork(), FIND, [[...ids], teamId]);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return row => (isStranger(row) ? null : (names.get(row.actorId ?? '') ?? null));
}

/** Whoever tries a link that is not theirs need not be of the team, which then learns no more than their id. */
const isStranger = ({ action, outcome }: Row): boolean => action === 'acceptInvitation' && outcome === 'refused';
