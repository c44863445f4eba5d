import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { Outbox } from '@billing/messaging/outbox';
import { seal, sealedPrefix, unseal, type SealedFor } from '@billing/processor/credentials';
import type { KeyRing } from '@billing/processor/key-ring';
import { auditOfCommand, recordAudit } from '@billing/service/audit';
import { lockTeam } from './team-lock.ts';

/** Teams per read. */
const BATCH = 100;

/** Where sealed secrets stand; `kind` is an expression for what they are bound to. */
const PLACES = [
  { table: 'processor_accounts', key: 'team_id', column: 'sealed_secret_key', kind: `'secret-key'` },
  { table: 'signing_secrets', key: 'id', column: 'sealed_secret', kind: `'webhook-secret'` },
  { table: 'endpoint_secrets', key: 'id', column: 'sealed_secret', kind: `'endpoint-secret-' || endpoint_id` },
] as const;

/** Teams with a secret that is sealed with another master key than the one whose prefix is the parameter. */
const TEAMS = PLACES.map(
  ({ table, column }) => `select team_id from ${table} where not starts_with(${column}, ?)`,
).join(' union ');

export interface Resealed {
  /** Secrets that are sealed with the current master key now, and were not before. */
  readonly resealed: number;
  /** Secrets that did not open and stay as they are. */
  readonly unopened: readonly SealedFor[];
}

async function findTeams(em: EntityManager, { current }: KeyRing, after: string, limit: number): Promise<TeamId[]> {
  const rows = await em
    .fork()
    .execute<{ team_id: TeamId }[]>(`select team_id from (${TEAMS}) teams where team_id > ? order by team_id limit ?`, [
      ...PLACES.map(() => sealedPrefix(current)),
      after,
      limit,
    ]);
  return rows.map(row => row.team_id);
}

/** Returns whether some secret is sealed with another master key than the current one. */
export const hasOldSecrets = async (em: EntityManager, ring: KeyRing): Promise<boolean> =>
  (await findTeams(em, ring, '', 1)).length > 0;

/**
 * Seals every secret with the current master key, while the service runs. It may be stopped, repeated, and run twice at
 * once: a secret that was replaced meanwhile stays as it is. The audit log of each team gets one entry.
 */
export async function resealSecrets(outbox: Outbox, ring: KeyRing): Promise<Resealed> {
  const requestId = randomUUID();
  const changes = [{ field: 'masterKeyVersion', from: null, to: ring.current }];
  const unopened: SealedFor[] = [];
  let resealed = 0;

  const resealTeam = (teamId: TeamId) =>
    outbox.transaction(async (tx, publish) => {
      await lockTeam(tx, teamId);
      const done = await resealIn(tx, ring, teamId);
      if (done.resealed > 0) {
        const context = auditOfCommand('rotateKeys', requestId);
        recordAudit(publish, teamId, context, { target: { type: 'processor_account', id: teamId }, changes });
      }
      return done;
    });
  for (let after = '', teams: TeamId[] = []; ; after = teams.at(-1) ?? after) {
    teams = await findTeams(outbox.em, ring, after, BATCH);
    for (const teamId of teams) {
      const done = await resealTeam(teamId);
      resealed += done.resealed;
      unopened.push(...done.unopened);
    }
    if (teams.length < BATCH) return { resealed, unopened };
  }
}

async function resealIn(tx: EntityManager, ring: KeyRing, teamId: TeamId): Promise<Resealed> {
  const unopened: SealedFor[] = [];
  let resealed = 0;
  for (const { table, key, column, kind } of PLACES) {
    const rows = await tx.execute<{ id: string; sealed: string; kind: SealedFor['kind'] }[]>(
      `select ${key}::text as id, ${column} as sealed, ${kind} as kind from ${table}
        where team_id = ? and not starts_with(${column}, ?) for update`,
      [teamId, sealedPrefix(ring.current)],
    );
    for (const { id, sealed, kind: stored } of rows) {
      const boundTo = { teamId, kind: stored };
      const secret = open(ring, boundTo, sealed);
      if (secret === undefined) unopened.push(boundTo);
      else {
        await tx.execute(`update ${table} set ${column} = ? where ${key}::text = ?`, [seal(ring, boundTo, secret), id]);
        resealed += 1;
      }
    }
  }
  return { resealed, unopened };
}

function open(ring: KeyRing, boundTo: SealedFor, sealed: string): string | undefined {
  try {
    return unseal(ring, boundTo, sealed);
  } catch {
    return undefined;
  }
}
