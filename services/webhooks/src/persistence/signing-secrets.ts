import type { NatsConnection } from '@nats-io/transport-node';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ProcessorAccountChanged } from '@billing/contracts/events/webhooks';
import { envelope } from '@billing/contracts/event';
import { TeamId } from '@billing/contracts/ids';
import { unseal } from '@billing/processor/credentials';

/** The secrets that may sign a team's events, from memory where possible. */
export interface SigningSecrets {
  /** The valid ones; none for a team that is unknown or not connected. */
  of(teamId: string): Promise<readonly string[]>;
  /** Reads them again, for one team only a few times a second; for when no secret fits. */
  reload(teamId: string): Promise<readonly string[]>;
  /** Makes the next use read them again. */
  forget(teamId: string): void;
  close(): void;
}

interface SigningSecretsOptions {
  readonly em: EntityManager;
  /** 32 bytes: opens the sealed secrets. */
  readonly credentialsKey: Buffer;
  readonly nats: NatsConnection;
  /** First token of the bus's subjects. */
  readonly root: string;
}

interface CachedSecrets {
  readonly secrets: Promise<readonly string[]>;
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
/** Teams in memory, unknown ones too, so that guessing costs neither a query per guess nor endless memory. */
const MAX_TEAMS = 10_000;

/** Opens the cache of signing secrets; it drops a team's at once when `processor-account.changed` arrives. */
export function openSigningSecrets({ em, credentialsKey, nats, root }: SigningSecretsOptions): SigningSecrets {
  const cache = new Map<string, CachedSecrets>();
  const changes = nats.subscribe(`${root}.${ProcessorAccountChanged.name}`, {
    callback: (_err, message) => {
      const event = envelope.safeParse(message.json());
      if (event.success) cache.delete(event.data.teamId);
    },
  });

  const read = (teamId: string, reloads = NO_RELOADS): Promise<readonly string[]> => {
    cache.delete(teamId);
    // The oldest entry goes first: a Map keeps the order of insertion.
    if (cache.size >= MAX_TEAMS) cache.delete(cache.keys().next().value ?? '');
    const secrets = readSecrets(em, credentialsKey, teamId);
    const entry = { secrets, readAt: performance.now(), reloads };
    cache.set(teamId, entry);
    secrets.catch(() => cache.get(teamId) === entry && cache.delete(teamId));
    return secrets;
  };

  return {
    of: teamId => {
      const known = cache.get(teamId);
      return known && performance.now() - known.readAt < CACHE_MS ? known.secrets : read(teamId, known?.reloads);
    },
    reload: teamId => {
      const known = cache.get(teamId);
      const now = performance.now();
      const { since, count } =
        known && now - known.reloads.since < SECOND_MS ? known.reloads : { since: now, count: 0 };
      return known && count >= MAX_RELOADS_PER_SECOND ? known.secrets : read(teamId, { since, count: count + 1 });
    },
    forget: teamId => cache.delete(teamId),
    close: () => changes.unsubscribe(),
  };
}

async function readSecrets(em: EntityManager, credentialsKey: Buffer, teamId: string): Promise<readonly string[]> {
  if (!TeamId.schema.safeParse(teamId).success) return [];
  const rows = await em.fork().execute<{ sealed_secret: string }[]>(
    `select sealed_secret from signing_secrets
      where team_id = ? and (valid_until is null or valid_until > clock_timestamp())`,
    [teamId],
  );
  return rows.map(row => unseal(credentialsKey, { teamId, kind: 'webhook-secret' }, row.sealed_secret));
}
