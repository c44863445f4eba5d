import { timingSafeEqual } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApiKeyId } from '@billing/contracts/ids';
import type { Logger } from 'pino';
import { hashSecret, isWellFormed } from '#domain/api-key-secret.ts';
import type { KeyGrant } from '#domain/access.ts';
import { ApiKey } from '#persistence/api-key.entity.ts';

/** How long an answer of the database is believed, in milliseconds. Revocation and rotation hold everywhere after it. */
const BELIEVED_MS = 500;
const MAX_REMEMBERED = 10_000;
/** How often the time of a key's last use is written. */
const TOUCH_INTERVAL_MS = 60_000;

/** Knows which secrets are good. */
export interface KeyRing {
  /** What the secret's key grants; undefined for one that is malformed, unknown, revoked or expired. */
  find(secret: string): Promise<KeyGrant | undefined>;
  /** Forgets what is believed of a key, so that a change made here holds here at once. */
  forget(keyId: ApiKeyId): void;
  /** Waits for the times of use that are being written. */
  close(): Promise<void>;
}

interface Remembered {
  readonly until: number;
  /** Requests that arrive together share one look. */
  readonly looking: Promise<ApiKey | null>;
  keyId?: ApiKeyId;
}

/** Looks keys up in the gateway's tables, at most twice a second for each. */
export function openKeyRing(em: EntityManager, now: () => Date, logger: Logger): KeyRing {
  const remembered = new Map<string, Remembered>();
  const touchedAt = new Map<ApiKeyId, number>();
  const writing = new Set<Promise<unknown>>();

  function look(hash: string, at: number): Promise<ApiKey | null> {
    const known = remembered.get(hash);
    if (known && known.until > at) return known.looking;
    const looking = em
      .fork()
      .findOne(ApiKey, { $or: [{ secretHash: hash }, { previousSecretHash: hash }] }, { disableIdentityMap: true });
    const entry: Remembered = { until: at + BELIEVED_MS, looking };
    remembered.delete(hash);
    remembered.set(hash, entry);
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '');
    void settle(hash, entry);
    return looking;
  }

  /** Neither a guess nor a failure is worth remembering. */
  async function settle(hash: string, entry: Remembered): Promise<void> {
    const found = await entry.looking.catch(() => null);
    if (found) entry.keyId = found.id;
    else if (remembered.get(hash) === entry) remembered.delete(hash);
  }

  function touch(keyId: ApiKeyId, at: number): void {
    if (at - (touchedAt.get(keyId) ?? 0) < TOUCH_INTERVAL_MS) return;
    touchedAt.set(keyId, at);
    if (touchedAt.size > MAX_REMEMBERED) touchedAt.clear();
    const write = em
      .fork()
      .execute(`update api_keys set last_used_at = ? where id = ? and (last_used_at is null or last_used_at < ?)`, [
        new Date(at),
        keyId,
        new Date(at - TOUCH_INTERVAL_MS),
      ])
      .catch((err: unknown) => logger.warn({ err, keyId }, 'time of last use not written'))
      .finally(() => writing.delete(write));
    writing.add(write);
  }

  return {
    async find(secret) {
      if (!isWellFormed(secret)) return undefined;
      const hash = hashSecret(secret);
      const at = now();
      const key = await look(hash, at.getTime());
      if (!key || !isValid(key, hash, at)) return undefined;
      touch(key.id, at.getTime());
      return { keyId: key.id, teamId: key.teamId, projectId: key.projectId, scopes: key.scopes };
    },
    forget(keyId) {
      for (const [hash, entry] of remembered) if (entry.keyId === keyId) remembered.delete(hash);
    },
    async close() {
      await Promise.all(writing);
    },
  };
}

function isValid(key: ApiKey, hash: string, at: Date): boolean {
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= at)) return false;
  if (sameHash(key.secretHash, hash)) return true;
  const { previousSecretHash, previousExpiresAt } = key;
  if (previousSecretHash === null || previousExpiresAt === null) return false;
  return sameHash(previousSecretHash, hash) && previousExpiresAt > at;
}

const sameHash = (a: string, b: string) => timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
