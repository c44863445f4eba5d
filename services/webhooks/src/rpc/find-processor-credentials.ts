import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { unavailable } from '@billing/contracts/problem';
import { seal } from '@billing/processor/credentials';
import { keyRingOf } from '@billing/processor/key-ring';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';
import type { SealedSecrets } from '#persistence/sealed-secrets.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly sealed: SealedSecrets;
  /** The key of each service that may have the teams' secret keys. */
  readonly serviceKeys: ReadonlyMap<ServiceName, Buffer>;
}

/**
 * Finds a team's secret key, sealed so that only the calling service can open it; null when the team is not connected.
 * @throws Problem 503 for a service without a key, and for a stored secret that does not open
 */
export function findProcessorCredentials({ em, sealed, serviceKeys }: Dependencies) {
  return async ({ teamId, service }: { teamId: TeamId; service: ServiceName }) => {
    const account = await em.fork().findOne(ProcessorAccount, { teamId });
    if (!account?.sealedSecretKey) return null;
    const key = serviceKeys.get(service);
    if (!key) throw unavailable(`SERVICE_KEYS of the webhooks service has no key of ${service}.`);
    const secretKey = sealed.open({ teamId, kind: 'secret-key' }, account.sealedSecretKey);
    const { version, livemode } = account;
    const sealedSecretKey = seal(keyRingOf(key), { teamId, kind: `secret-key-for-${service}` }, secretKey);
    return { version, livemode, sealedSecretKey };
  };
}
