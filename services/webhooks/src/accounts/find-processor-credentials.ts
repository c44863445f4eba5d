import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { unavailable } from '@billing/contracts/problem';
import { seal } from '@billing/processor/credentials';
import { keyRingOf } from '@billing/processor/key-ring';
import { lockTeam } from './team-lock.ts';
import { ProcessorAccount } from './processor-account.entity.ts';
import type { SealedSecrets } from './sealed-secrets.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly sealed: SealedSecrets;
  /** The key of each service that may have the teams' secret keys. */
  readonly serviceKeys: ReadonlyMap<ServiceName, Buffer>;
}

interface Request {
  readonly teamId: TeamId;
  readonly service: ServiceName;
  readonly minVersion?: number | undefined;
}

/**
 * Finds a team's keys, the secret one sealed so that only the calling service can open it; null when the team is not connected. For a
 * version that does not exist yet it waits for the connect that may bring it; if that has failed, the credentials take the
 * version, which no other ones will have then.
 * @throws Problem 503 for a service without a key, and for a stored secret that does not open
 */
export function findProcessorCredentials({ em, sealed, serviceKeys }: Dependencies) {
  const findWith = (teamId: TeamId, minVersion: number) =>
    em.fork().transactional(async tx => {
      await lockTeam(tx, teamId);
      const account = await tx.findOne(ProcessorAccount, { teamId });
      if (account && account.version < minVersion) account.version = minVersion;
      return account;
    });

  return async ({ teamId, service, minVersion = 0 }: Request) => {
    const found = await em.fork().findOne(ProcessorAccount, { teamId });
    const account = found && found.version < minVersion ? await findWith(teamId, minVersion) : found;
    if (!account?.sealedSecretKey) return null;
    const key = serviceKeys.get(service);
    if (!key) throw unavailable(`SERVICE_KEYS of the webhooks service has no key of ${service}.`);
    const secretKey = sealed.open({ teamId, kind: 'secret-key' }, account.sealedSecretKey);
    const { version, livemode, publishableKey } = account;
    const sealedSecretKey = seal(keyRingOf(key), { teamId, kind: `secret-key-for-${service}` }, secretKey);
    return { version, livemode, sealedSecretKey, publishableKey };
  };
}
