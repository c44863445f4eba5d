import { timingSafeEqual } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId } from '@billing/contracts/ids';
import { openBatcher } from '@billing/messaging/batcher';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { hashSecret, isWellFormed, modeOf } from '#domain/api-key-secret.ts';
import type { KeyGrant } from '#domain/access.ts';
import { findApiKeys, type StoredApiKey } from '#persistence/find-api-key.ts';

/** How long a query result is used, in milliseconds. Revocation and rotation apply to every copy after this time. */
const TIME_TO_LIVE_MS = 500;
/** A key that is in use is queried again this long before its result expires, in milliseconds, so that no request waits. */
const REFRESH_AHEAD_MS = 100;
const MAX_ENTRIES = 10_000;
/** How long a secret that no key has is remembered, in milliseconds. No key gets a secret that was sent before. */
const UNKNOWN_MS = 60_000;
/** Queries at the same time; the secrets that arrive meanwhile share the next one. */
const PARALLEL_QUERIES = 2;
/** Between two queries for callers who sent too many bad keys. */
const SUSPECT_LINGER = { times: 1_000, longestMs: 100 };
/** How often the time of a key's last use is written, in milliseconds. */
const LAST_USED_INTERVAL_MS = 60_000;

/** Finds API keys by their secrets. */
export interface ApiKeyCache {
  /**
   * Returns what the secret's key grants; undefined when it is malformed, unknown, revoked or expired. Secrets of suspect
   * callers that this copy has not seen share a query every 100 ms.
   */
  find(secret: string, caller: { readonly isSuspect: boolean }): Promise<KeyGrant | undefined>;
  /** Removes a key, so that a change made by this process applies to its next request. */
  evict(keyId: ApiKeyId): void;
  /** Waits for pending writes of last uses. */
  close(): Promise<void>;
}

interface Entry {
  readonly expiresAt: number;
  /** Concurrent requests share one query. */
  readonly query: Promise<StoredApiKey | null>;
  keyId?: ApiKeyId;
  isRefreshing?: boolean;
}

interface Dependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Looks up one hash; those that are looked up at the same time share a query. */
type FindByHash = (hash: string) => Promise<StoredApiKey | null>;

/**
 * Opens a cache of the table `api_keys` that queries each key about twice a second while it is in use. However many
 * unknown keys arrive, they share few queries, and a key in use never waits for them.
 */
export function openApiKeyCache({ em, now, logger }: Dependencies): ApiKeyCache {
  const limits = { max: MAX_ENTRIES, ttlResolution: 0, perf: { now: () => now().getTime() } };
  const entries = new LRUCache<string, Entry>(limits);
  const unknown = new LRUCache<string, true>({ ...limits, ttl: UNKNOWN_MS });
  const usesWritten = new LRUCache<ApiKeyId, true>({ ...limits, ttl: LAST_USED_INTERVAL_MS });
  const pendingWrites = new Set<Promise<unknown>>();

  const findMany = (hashes: readonly string[]) => findApiKeys(em.fork(), hashes);
  const findInUse: FindByHash = openBatcher(findMany, { parallel: PARALLEL_QUERIES });
  const findNew: FindByHash = openBatcher(findMany, { parallel: PARALLEL_QUERIES });
  const findOfSuspect: FindByHash = openBatcher(findMany, { linger: SUSPECT_LINGER });

  async function findByHash(hash: string, at: number, isSuspect: boolean): Promise<StoredApiKey | null> {
    const cached = entries.get(hash);
    if (!cached) {
      if (unknown.has(hash)) return null;
      return store(hash, queryKey(hash, at, isSuspect ? findOfSuspect : findNew)).query;
    }
    if (cached.expiresAt <= at) return store(hash, queryKey(hash, at, findInUse)).query;
    if (cached.expiresAt - at <= REFRESH_AHEAD_MS && !cached.isRefreshing) void refresh(hash, cached, at);
    return cached.query;
  }

  const queryKey = (hash: string, at: number, find: FindByHash): Entry => ({
    expiresAt: at + TIME_TO_LIVE_MS,
    query: find(hash),
  });

  function store(hash: string, entry: Entry): Entry {
    entries.set(hash, entry);
    void indexOrDrop(hash, entry);
    return entry;
  }

  /** After a failed query the former entry stays until it expires. An entry evicted meanwhile does not come back. */
  async function refresh(hash: string, former: Entry, at: number): Promise<void> {
    former.isRefreshing = true;
    const next = queryKey(hash, at, findInUse);
    const isQueried = await next.query.then(
      () => true,
      () => false,
    );
    if (isQueried && entries.get(hash) === former) store(hash, next);
  }

  /** Unknown secrets and failed queries do not stay among the keys. */
  async function indexOrDrop(hash: string, entry: Entry): Promise<void> {
    const apiKey = await entry.query.catch(() => undefined);
    if (apiKey) {
      entry.keyId = apiKey.id;
      return;
    }
    if (entries.get(hash) === entry) entries.delete(hash);
    if (apiKey === null) unknown.set(hash, true);
  }

  function writeLastUsed(keyId: ApiKeyId, at: number): void {
    if (usesWritten.has(keyId)) return;
    usesWritten.set(keyId, true);
    const write = em
      .fork()
      .execute(`update api_keys set last_used_at = ? where id = ? and (last_used_at is null or last_used_at < ?)`, [
        new Date(at),
        keyId,
        new Date(at - LAST_USED_INTERVAL_MS),
      ])
      .catch((err: unknown) => logger.warn({ err, keyId }, 'could not write the time of last use'))
      .finally(() => pendingWrites.delete(write));
    pendingWrites.add(write);
  }

  return {
    async find(secret, { isSuspect }) {
      if (!isWellFormed(secret)) return undefined;
      const hash = hashSecret(secret);
      const at = now().getTime();
      const apiKey = await findByHash(hash, at, isSuspect);
      if (!apiKey || !isValid(apiKey, hash, at)) return undefined;
      const { id: keyId, teamId, projectId, scopes, accountLivemode } = apiKey;
      writeLastUsed(keyId, at);
      return { keyId, teamId, projectId, scopes, accountLivemode, mode: modeOf(secret) };
    },
    evict(keyId) {
      for (const [hash, entry] of entries.entries()) if (entry.keyId === keyId) entries.delete(hash);
    },
    async close() {
      await Promise.all(pendingWrites);
    },
  };
}

function isValid(apiKey: StoredApiKey, hash: string, at: number): boolean {
  if (apiKey.isRevoked || (apiKey.expiresAt !== null && apiKey.expiresAt <= at)) return false;
  if (equalHashes(apiKey.secretHash, hash)) return true;
  const { previousSecretHash, previousExpiresAt } = apiKey;
  if (previousSecretHash === null || previousExpiresAt === null) return false;
  return equalHashes(previousSecretHash, hash) && previousExpiresAt > at;
}

const equalHashes = (a: string, b: string) => timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
