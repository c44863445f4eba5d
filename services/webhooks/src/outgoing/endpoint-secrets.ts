import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId, WebhookEndpointId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { endpointKey } from '#domain/sent-signature.ts';
import type { SealedSecrets } from '#persistence/sealed-secrets.ts';

/** The keys that sign what an endpoint gets at a time, the newest first. */
export type EndpointKeys = (at: Date) => readonly Buffer[];

interface EndpointRef {
  readonly id: WebhookEndpointId;
  readonly teamId: TeamId;
}

const boundTo = ({ id, teamId }: EndpointRef) => ({ teamId, kind: `endpoint-secret-${id}` }) as const;

/** Reads the keys of an endpoint. One that does not open signs nothing, and is logged. */
export const readEndpointKeys =
  (em: EntityManager, sealed: Pick<SealedSecrets, 'openIfPossible'>) =>
  async (endpoint: EndpointRef): Promise<EndpointKeys> => {
    const rows = await executeBound<{ sealedSecret: string; expiresAt: Date | null }>(
      em.fork(),
      `select sealed_secret as "sealedSecret", expires_at as "expiresAt" from endpoint_secrets
        where endpoint_id = $1 and team_id = $2 order by created_at desc`,
      [endpoint.id, endpoint.teamId],
    );
    const keys = rows.flatMap(({ sealedSecret, expiresAt }) => {
      const secret = sealed.openIfPossible(boundTo(endpoint), sealedSecret);
      const key = secret === undefined ? undefined : endpointKey(secret);
      return key ? [{ key, until: expiresAt ? new Date(expiresAt).getTime() : Infinity }] : [];
    });
    return at => keys.filter(({ until }) => until > at.getTime()).map(({ key }) => key);
  };

/** Saves a secret as the current one, in the caller's transaction. */
export async function saveEndpointSecret(
  tx: EntityManager,
  sealed: Pick<SealedSecrets, 'seal'>,
  endpoint: EndpointRef,
  secret: string,
): Promise<void> {
  await executeBound(
    tx,
    `insert into endpoint_secrets (id, team_id, endpoint_id, sealed_secret, last4, created_at, expires_at)
     values ($1, $2, $3, $4, $5, clock_timestamp(), null)`,
    [randomUUID(), endpoint.teamId, endpoint.id, sealed.seal(boundTo(endpoint), secret), secret.slice(-4)],
  );
}
