import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { TeamId } from '@billing/contracts/ids';
import { executeBound, textArray } from '@billing/database/bound-statement';
import { openBatcher } from '@billing/messaging/batcher';
import type { Bus } from '@billing/messaging/bus';
import { LRUCache } from 'lru-cache';
import type { SealedSecrets } from './sealed-secrets.ts';

/** The secrets that may sign a team's events, from memory where possible. */
export type SigningSecrets = ReturnType<typeof openSigningSecrets>;

/** A secret that may sign a team's events. */
export interface SigningSecret {
  readonly id: string;
  readonly secret: string;
  /** The Stripe account that it belongs to. */
  readonly accountId: string;
}

interface SigningSecretsOptions {
  readonly em: EntityManager;
  readonly sealed: Pick<SealedSecrets, 'open'>;
  readonly follow: Bus['follow'];
  /** A clock in milliseconds that never goes back. */
  readonly clock?: () => number;
}

interface CachedSecrets {
  readonly secrets: Promise<readonly SigningSecret[]>;
  readonly readAt: number;
  /** Reloads within the second that began at `since`. */
  readonly reloads: { readonly since: number; readonly count: number };
}

/** How long secrets are used before they are read again, in milliseconds. */
const CACHE_MS = 5_000;
/** A team's secrets are not reloaded more often than this, whatever is sent. */
const MAX_RELOADS_PER_SECOND = 5;
const SECOND_MS = 1_000;
const NO_RELOADS = { since: -SECOND_MS, count: 0 };
/** Teams in memory that have secrets. */
const MAX_TEAMS = 10_000;
/** Teams in memory that have none, which anyone may invent: they displace only each other. */
const MAX_UNKNOWN = 10_000;
/** Queries at the same time; the teams that are requested meanwhile share the next one. */
const PARALLEL_QUERIES = 2;

/** Opens the cache of signing secrets; it drops a team's at once when `processor-account.changed` arrives. */
export function openSigningSecrets({ em, sealed, follow, clock = () => performance.now() }: SigningSecretsOptions) {
  const known = new LRUCache<string, CachedSecrets>({ max: MAX_TEAMS });
  const unknown = new LRUCache<string, CachedSecrets>({ max: MAX_UNKNOWN });
  const readTogether = openBatcher((teamIds: readonly string[]) => readSecrets(em, sealed, teamIds), {
    parallel: PARALLEL_QUERIES,
  });
  const forget = (teamId: string): void => {
    known.delete(teamId);
    unknown.delete(teamId);
  };
  const stopFollowing = follow(ProcessorAccountChanged, forget);

  /** A team counts as unknown until secrets of it are found. One whose query failed is read again next time. */
  const read = (teamId: string, reloads = NO_RELOADS): Promise<readonly SigningSecret[]> => {
    const entry = { secrets: secretsOf(teamId), readAt: clock(), reloads };
    const cache = known.has(teamId) ? known : unknown;
    forget(teamId);
    cache.set(teamId, entry);
    const move = (secrets: readonly SigningSecret[]): void => {
      if (cache.get(teamId) !== entry) return;
      forget(teamId);
      (secrets.length > 0 ? known : unknown).set(teamId, entry);
    };
    entry.secrets.then(move, () => cache.get(teamId) === entry && forget(teamId));
    return entry.secrets;
  };
  const secretsOf = async (teamId: string) => (TeamId.schema.safeParse(teamId).success ? readTogether(teamId) : []);

  return {
    /** Returns the valid ones; none for a team that is unknown or not connected. */
    of: async (teamId: string): Promise<readonly SigningSecret[]> => {
      const cached = known.get(teamId) ?? unknown.get(teamId);
      return cached && clock() - cached.readAt < CACHE_MS ? cached.secrets : read(teamId, cached?.reloads);
    },
    /** Reads them again, for one team only a few times a second; for when no secret fits. */
    reload: async (teamId: string): Promise<readonly SigningSecret[]> => {
      const now = clock();
      const cached = known.get(teamId) ?? unknown.get(teamId);
      if (!cached) return read(teamId);
      const { since, count } = now - cached.reloads.since < SECOND_MS ? cached.reloads : { since: now, count: 0 };
      // An invented team was looked up a moment ago; once is enough.
      const isFresh = unknown.has(teamId) && now - cached.readAt < SECOND_MS / MAX_RELOADS_PER_SECOND;
      return isFresh || count >= MAX_RELOADS_PER_SECOND ? cached.secrets : read(teamId, { since, count: count + 1 });
    },
    /** Makes the next use read them again. */
    forget,
    close: stopFollowing,
  };
}

/** Returns the valid secrets of each team, in order. */
async function readSecrets(
  em: EntityManager,
  sealed: Pick<SealedSecrets, 'open'>,
  teamIds: readonly string[],
): Promise<readonly (readonly SigningSecret[])[]> {
  const rows = await executeBound<{ id: string; team_id: string; sealed_secret: string; account_id: string }>(
    em.fork(),
    `select id, team_id, sealed_secret, account_id from signing_secrets
      where team_id = any($1::text[]) and (valid_until is null or valid_until > clock_timestamp())`,
    [textArray(teamIds)],
  );
  const byTeam = Map.groupBy(rows, row => row.team_id);
  return teamIds.map(teamId =>
    (byTeam.get(teamId) ?? []).map(row => ({
      id: row.id,
      secret: sealed.open({ teamId, kind: 'webhook-secret' }, row.sealed_secret),
      accountId: row.account_id,
    })),
  );
}

/** The secrets with which Stripe may sign a team's events. */
interface Secrets {
  /** Whose account they belong to. */
  readonly accountId: string;
  readonly current: string;
  /** Of further endpoints; accepted as long as they are listed here. */
  readonly additional: readonly string[];
}

/**
 * Saves a team's secrets, in the caller's transaction, which must hold the team's lock. The previous current secret is
 * accepted for 24 more hours; an additional one that is no longer listed is not. The same secrets again change nothing, and
 * an earlier one becomes current again. One that does not open is deleted: it could sign nothing.
 */
export async function saveSigningSecrets(
  tx: EntityManager,
  sealed: SealedSecrets,
  teamId: TeamId,
  { accountId, current, additional }: Secrets,
): Promise<void> {
  const boundTo = { teamId, kind: 'webhook-secret' } as const;
  await tx.execute(`delete from signing_secrets where team_id = ? and valid_until <= clock_timestamp()`, [teamId]);
  const rows = await tx.execute<{ id: string; sealed_secret: string }[]>(
    `select id, sealed_secret from signing_secrets where team_id = ?`,
    [teamId],
  );
  const ids = new Map<string, string>();
  for (const { id, sealed_secret: text } of rows) {
    const secret = sealed.openIfPossible(boundTo, text);
    if (secret !== undefined) ids.set(secret, id);
    else await tx.execute(`delete from signing_secrets where id = ?`, [id]);
  }
  await tx.execute(`delete from signing_secrets where team_id = ? and is_additional`, [teamId]);
  await tx.execute(
    `update signing_secrets set valid_until = clock_timestamp() + interval '24 hours'
      where team_id = ? and valid_until is null`,
    [teamId],
  );
  const wanted = new Map([...additional.map(secret => [secret, true] as const), [current, false] as const]);
  for (const [secret, isAdditional] of wanted) {
    await tx.execute(
      `insert into signing_secrets (id, team_id, account_id, sealed_secret, is_additional) values (?, ?, ?, ?, ?)
       on conflict (id) do update set
         valid_until = null, is_additional = excluded.is_additional, account_id = excluded.account_id`,
      [ids.get(secret) ?? randomUUID(), teamId, accountId, sealed.seal(boundTo, secret), isAdditional],
    );
  }
}
