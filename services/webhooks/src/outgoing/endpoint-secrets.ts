import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId, WebhookEndpointId } from '@billing/contracts/ids';
import { notFound, unavailable, unprocessable } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { openBatcher } from '@billing/messaging/batcher';
import type { SealedSecrets } from '#accounts/sealed-secrets';
import { endpointKey, newEndpointSecret } from './sent-signature.rules.ts';

/** The keys that sign what an endpoint gets at a time, the newest first. */
export type EndpointKeys = (at: Date) => readonly Buffer[];

/** Older secrets that may be valid beside the current one. */
const MAX_OLDER = 2;

interface EndpointRef {
  readonly id: WebhookEndpointId;
  readonly teamId: TeamId;
}

const boundTo = ({ id, teamId }: EndpointRef) => ({ teamId, kind: `endpoint-secret-${id}` }) as const;

/**
 * Reads the keys of an endpoint, of those that are requested at the same time together. One that does not open signs nothing,
 * and is logged.
 * @throws Problem 404 `webhook_endpoint_not_found` when the endpoint was deleted meanwhile; 503 when none opens: nothing is sent
 * unsigned
 */
export function readEndpointKeys(em: EntityManager, sealed: Pick<SealedSecrets, 'openIfPossible'>) {
  const find = openBatcher((endpoints: readonly EndpointRef[]) => findSealed(em.fork(), endpoints));
  return async (endpoint: EndpointRef): Promise<EndpointKeys> => {
    const found = await find(endpoint);
    if (found.length === 0) throw notFound('webhook_endpoint');
    const keys = found.flatMap(({ sealedSecret, expiresAt }) => {
      const secret = sealed.openIfPossible(boundTo(endpoint), sealedSecret);
      const key = secret === undefined ? undefined : endpointKey(secret);
      return key ? [{ key, until: expiresAt ? new Date(expiresAt).getTime() : Infinity }] : [];
    });
    if (keys.length === 0) throw unavailable('No secret of this endpoint can be opened at the moment.', 60);
    return at => keys.filter(({ until }) => until > at.getTime()).map(({ key }) => key);
  };
}

interface SealedSecret {
  readonly sealedSecret: string;
  readonly expiresAt: Date | null;
}

/** The sealed secrets of each endpoint, the newest first. */
async function findSealed(
  em: EntityManager,
  endpoints: readonly EndpointRef[],
): Promise<readonly (readonly SealedSecret[])[]> {
  const rows = await executeBound<SealedSecret & { readonly endpointId: string; readonly teamId: string }>(
    em,
    `select endpoint_id as "endpointId", team_id as "teamId", sealed_secret as "sealedSecret", expires_at as "expiresAt"
       from endpoint_secrets where endpoint_id = any($1::text[]) order by created_at desc`,
    [endpoints.map(({ id }) => id)],
  );
  const byEndpoint = Map.groupBy(rows, ({ endpointId, teamId }) => `${endpointId} ${teamId}`);
  return endpoints.map(({ id, teamId }) => byEndpoint.get(`${id} ${teamId}`) ?? []);
}

/** A secret as callers see it. */
export interface ShownSecret {
  readonly last4: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** The secrets of endpoints that are valid, the newest first. */
export async function findShownSecrets(
  em: EntityManager,
  endpointIds: readonly WebhookEndpointId[],
): Promise<ReadonlyMap<string, readonly ShownSecret[]>> {
  const rows = await executeBound<{ endpointId: string; last4: string; createdAt: Date; expiresAt: Date | null }>(
    em,
    `select endpoint_id as "endpointId", last4, created_at as "createdAt", expires_at as "expiresAt" from endpoint_secrets
      where endpoint_id = any($1::text[]) and (expires_at is null or expires_at > clock_timestamp())
      order by created_at desc`,
    [endpointIds],
  );
  const shown = rows.map(({ endpointId, last4, createdAt, expiresAt }) => ({
    endpointId,
    last4,
    createdAt: new Date(createdAt),
    expiresAt: expiresAt && new Date(expiresAt),
  }));
  return Map.groupBy(shown, ({ endpointId }) => endpointId);
}

interface NewSecret {
  /** Follows from the operation: the same one saves one secret. */
  readonly id: string;
  /** One that the caller gives. */
  readonly secret?: string | undefined;
  /** How long the current one signs too, and older ones at most: none outlives a rotation after a leak. */
  readonly overlapMs?: number;
}

/**
 * Makes a secret the current one, in the caller's transaction, and returns it; the same operation gets the same again.
 * @throws Problem 422 `secret_rotation_limit` while two older ones are valid, unless there is no overlap; 503 when the stored one does not open
 */
export async function saveEndpointSecret(
  tx: EntityManager,
  sealed: Pick<SealedSecrets, 'seal' | 'openIfPossible'>,
  endpoint: EndpointRef,
  { id, secret = newEndpointSecret(), overlapMs = 0 }: NewSecret,
): Promise<{ readonly secret: string; readonly isNew: boolean }> {
  const rows = await executeBound<{ id: string; sealedSecret: string; isOlder: boolean }>(
    tx,
    `select id, sealed_secret as "sealedSecret", coalesce(expires_at > clock_timestamp(), false) as "isOlder"
       from endpoint_secrets where endpoint_id = $1 and team_id = $2`,
    [endpoint.id, endpoint.teamId],
  );
  const same = rows.find(row => row.id === id);
  if (same) {
    const opened = sealed.openIfPossible(boundTo(endpoint), same.sealedSecret);
    if (opened === undefined) throw unavailable('The secret of this endpoint cannot be opened at the moment.', 60);
    return { secret: opened, isNew: false };
  }
  const older = rows.filter(({ isOlder }) => isOlder).length;
  if (overlapMs > 0 && older >= MAX_OLDER)
    throw unprocessable(
      'secret_rotation_limit',
      'Two older secrets are still valid; wait until one of them expires, or rotate without an overlap, which ends both.',
    );
  await executeBound(
    tx,
    `with replaced as (
       update endpoint_secrets
          set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => $6::float8 / 1000))
        where endpoint_id = $3 and team_id = $2)
     insert into endpoint_secrets (id, team_id, endpoint_id, sealed_secret, last4, created_at, expires_at)
     values ($1, $2, $3, $4, $5, clock_timestamp(), null)`,
    [id, endpoint.teamId, endpoint.id, sealed.seal(boundTo(endpoint), secret), secret.slice(-4), overlapMs],
  );
  return { secret, isNew: true };
}

/** Deletes the secrets of an endpoint. */
export const deleteEndpointSecrets = (tx: EntityManager, { id, teamId }: EndpointRef) =>
  executeBound(tx, `delete from endpoint_secrets where endpoint_id = $1 and team_id = $2`, [id, teamId]);
