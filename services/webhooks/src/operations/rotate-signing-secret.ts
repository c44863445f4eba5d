import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { seal, unseal } from '@billing/processor/credentials';

interface SecretRow {
  readonly id: string;
  readonly sealed_secret: string;
}

/**
 * Makes a secret the team's current one, in the caller's transaction, which must hold the team's lock. The previous one is
 * accepted for 24 more hours; the same secret again changes nothing, and an earlier one becomes current again.
 */
export async function rotateSigningSecret(
  tx: EntityManager,
  credentialsKey: Buffer,
  teamId: TeamId,
  secret: string,
): Promise<void> {
  const boundTo = { teamId, kind: 'webhook-secret' } as const;
  await tx.execute(`delete from signing_secrets where team_id = ? and valid_until <= clock_timestamp()`, [teamId]);
  const rows = await tx.execute<SecretRow[]>(`select id, sealed_secret from signing_secrets where team_id = ?`, [
    teamId,
  ]);
  const known = rows.find(row => unseal(credentialsKey, boundTo, row.sealed_secret) === secret);
  await tx.execute(
    `update signing_secrets set valid_until = clock_timestamp() + interval '24 hours'
      where team_id = ? and valid_until is null and id is distinct from ?::uuid`,
    [teamId, known?.id ?? null],
  );
  if (known) await tx.execute(`update signing_secrets set valid_until = null where id = ?`, [known.id]);
  else {
    await tx.execute(`insert into signing_secrets (id, team_id, sealed_secret) values (?, ?, ?)`, [
      randomUUID(),
      teamId,
      seal(credentialsKey, boundTo, secret),
    ]);
  }
}

/** Deletes secrets whose 24 hours are over. */
export async function deleteExpiredSecrets(em: EntityManager): Promise<void> {
  await em.fork().execute(`delete from signing_secrets where valid_until <= clock_timestamp()`);
}
