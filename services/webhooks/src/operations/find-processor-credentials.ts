import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';

/** A team's secret key, sealed as it is kept; null when the team is not connected. */
export function findProcessorCredentials(em: EntityManager) {
  return async ({ teamId }: { teamId: TeamId }) => {
    const account = await em.fork().findOne(ProcessorAccount, { teamId });
    if (!account) return null;
    const { version, livemode, sealedSecretKey } = account;
    return { version, livemode, sealedSecretKey };
  };
}
