import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { modeOfNewKeys, type KeyMode } from '#domain/api-key-secret.ts';
import { Team } from '#persistence/team.entity.ts';

/** Returns the mode of the keys that a team gets now. */
export async function findKeyMode(tx: EntityManager, teamId: TeamId, installation: KeyMode): Promise<KeyMode> {
  const { accountLivemode } = await tx.findOneOrFail(Team, { id: teamId });
  return modeOfNewKeys(accountLivemode, installation);
}
