import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { forbidden, notFound } from '@billing/contracts/problem';
import { ApiKey, Member, Project, Team } from './entities.ts';

// One transaction takes these locks in this order: team, member, project, API key.

/** Locks a team until the transaction ends: changes of its members, invitations and number of projects are serial. */
export function lockTeam(tx: EntityManager, teamId: TeamId): Promise<Team> {
  return tx.findOneOrFail(Team, { id: teamId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/**
 * Requires that a user is still a member of the team, and until the transaction ends keeps the team from removing them.
 * @throws Problem 403 when the user was removed since the request was authorized
 */
export function requireMembership(tx: EntityManager, teamId: TeamId, userId: string): Promise<Member> {
  return tx.findOneOrFail(
    Member,
    { teamId, userId },
    { lockMode: LockMode.PESSIMISTIC_READ, failHandler: () => forbidden() },
  );
}

/**
 * Locks a project until the transaction ends: its API keys are counted and created one after the other.
 * @throws Problem 404 `project_not_found`
 */
export function lockProject(tx: EntityManager, { teamId, projectId }: ProjectScope): Promise<Project> {
  return tx.findOneOrFail(
    Project,
    { id: projectId, teamId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('project') },
  );
}

/** Until the transaction ends, no other one creates a team of this user. */
export async function lockTeamsOf(tx: EntityManager, userId: string): Promise<void> {
  await executeBound(tx, `select pg_advisory_xact_lock(hashtextextended('teams of ' || $1, 0))`, [userId]);
}

/**
 * Returns a key that is not revoked, and locks its row until the transaction ends: changes of one key are serial.
 * @throws Problem 404 `api_key_not_found`
 */
export function lockApiKey(tx: EntityManager, { teamId, projectId }: ProjectScope, id: ApiKeyId): Promise<ApiKey> {
  return tx.findOneOrFail(
    ApiKey,
    { id, teamId, projectId, revokedAt: null },
    { failHandler: () => notFound('api_key'), lockMode: LockMode.PESSIMISTIC_WRITE },
  );
}
