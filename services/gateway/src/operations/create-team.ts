import type { EntityManager } from '@mikro-orm/postgresql';
import { TeamId } from '@billing/contracts/ids';
import { Member, Team } from '#persistence/team.entity.ts';
import { createOnce, idFromOperationKey } from './create-once.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/** Creates a team and makes its creator the owner; the same `operationKey` creates one team. */
export function createTeam({ em, now }: Dependencies) {
  const insert = (id: TeamId, userId: string, name: string) =>
    em.fork().transactional(async tx => {
      const createdAt = now();
      const team = tx.create(Team, { id, name, createdAt });
      tx.create(Member, { teamId: id, userId, role: 'owner', createdAt, operationKey: null });
      return team;
    });

  return async (userId: string, name: string, operationKey?: string): Promise<Team> => {
    if (operationKey === undefined) return insert(TeamId.create(), userId, name);
    const id = idFromOperationKey('team', operationKey);
    return createOnce(
      () => em.fork().findOne(Team, { id }),
      () => insert(id, userId, name),
    );
  };
}
