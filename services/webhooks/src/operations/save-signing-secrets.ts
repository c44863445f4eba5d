import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { SealedSecrets } from '#persistence/sealed-secrets.ts';

interface SecretRow {
  readonly id: string;
  readonly sealed_secret: string;
}

/** The secrets with which Stripe may sign a team's events. */
interface Secrets {
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
  { current, additional }: Secrets,
): Promise<void> {
  const boundTo = { teamId, kind: 'webhook-secret' } as const;
  await tx.execute(`delete from signing_secrets where team_id = ? and valid_until <= clock_timestamp()`, [teamId]);
  const rows = await tx.execute<SecretRow[]>(`select id, sealed_secret from signing_secrets where team_id = ?`, [
    teamId,
  ]);
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
  const listed = new Set(additional.filter(secret => secret !== current));
  const wanted = [[current, false] as const, ...[...listed].map(secret => [secret, true] as const)];
  for (const [secret, isAdditional] of wanted) {
    await tx.execute(
      `insert into signing_secrets (id, team_id, sealed_secret, is_additional) values (?, ?, ?, ?)
       on conflict (id) do update set valid_until = null, is_additional = excluded.is_additional`,
      [ids.get(secret) ?? randomUUID(), teamId, sealed.seal(boundTo, secret), isAdditional],
    );
  }
}

/** Deletes secrets whose 24 hours are over. */
export async function deleteExpiredSecrets(em: EntityManager): Promise<void> {
  await em.fork().execute(`delete from signing_secrets where valid_until <= clock_timestamp()`);
}
