import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';

/** Finds a team's secret key, sealed as it is stored; null when the team is not connected. */
export function findProcessorCredentials(em: EntityManager) {
  return async ({ teamId }: { teamId: TeamId }) => {
    const account = await em.fork().findOne(ProcessorAccount, { teamId });
    if (!account) return null;
    const { version, livemode, sealedSecretKey } = account;
    return { version, livemode, sealedSecretKey };
  };
}
