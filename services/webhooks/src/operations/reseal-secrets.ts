import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { TeamId } from '@billing/contracts/ids';
import type { Outbox } from '@billing/messaging/outbox';
import { seal, sealedPrefix, unseal, type SealedFor } from '@billing/processor/credentials';
import type { KeyRing } from '@billing/processor/key-ring';
import { auditOfCommand, recordAudit } from '@billing/service/audit';

/** Rows per read. */
const BATCH = 100;

/** Where sealed secrets stand. */
const PLACES = [
  { table: 'processor_accounts', key: 'team_id', column: 'sealed_secret_key', kind: 'secret-key' },
  { table: 'signing_secrets', key: 'id', column: 'sealed_secret', kind: 'webhook-secret' },
] as const;

export interface Resealed {
  /** Secrets that are sealed with the current master key now, and were not before. */
  readonly resealed: number;
  /** Secrets that did not open and stay as they are. */
  readonly unopened: readonly SealedFor[];
}

interface SealedRow {
  readonly id: string;
  readonly team_id: string;
  readonly sealed: string;
}

/** Returns whether some secret is sealed with another master key than the current one. */
export async function hasOldSecrets(em: EntityManager, { current }: KeyRing): Promise<boolean> {
  for (const { table, column } of PLACES) {
    const rows = await em
      .fork()
      .execute<unknown[]>(
        `select 1 from ${table} where ${column} is not null and not starts_with(${column}, ?) limit 1`,
        [sealedPrefix(current)],
      );
    if (rows.length > 0) return true;
  }
  return false;
}

/**
 * Seals every secret with the current master key, while the service runs. It may be stopped, repeated, and run twice at
 * once: a secret that was replaced meanwhile stays as it is. The audit log of each team gets one entry.
 */
export async function resealSecrets(outbox: Outbox, ring: KeyRing): Promise<Resealed> {
  const { em } = outbox;
  const reseal = resealer(outbox, ring);
  const unopened: SealedFor[] = [];
  let resealed = 0;
  for (const { table, key, column, kind } of PLACES) {
    for (let after = '', rows: SealedRow[] = []; ; after = rows.at(-1)?.id ?? after) {
      rows = await em.fork().execute<SealedRow[]>(
        `select ${key}::text as id, team_id, ${column} as sealed from ${table}
          where ${column} is not null and not starts_with(${column}, ?) and ${key}::text > ?
          order by ${key}::text limit ${BATCH}`,
        [sealedPrefix(ring.current), after],
      );
      for (const { id, team_id: teamId, sealed } of rows) {
        const boundTo = { teamId, kind };
        const secret = open(ring, boundTo, sealed);
        if (secret === undefined) {
          unopened.push(boundTo);
          continue;
        }
        if (await reseal({ table, key, column, id, sealed, teamId }, seal(ring, boundTo, secret))) resealed += 1;
      }
      if (rows.length < BATCH) break;
    }
  }
  return { resealed, unopened };
}

interface Sealed extends Pick<(typeof PLACES)[number], 'table' | 'key' | 'column'> {
  readonly id: string;
  readonly teamId: string;
  readonly sealed: string;
}

/** Replaces secrets, and records each team once, with the first of its secrets. */
function resealer(outbox: Outbox, { current }: KeyRing) {
  const requestId = randomUUID();
  const recorded = new Set<string>();
  const changes = [{ field: 'masterKeyVersion', from: null, to: current }];

  return async ({ table, key, column, id, teamId, sealed }: Sealed, resealed: string): Promise<boolean> => {
    const isChanged = await outbox.transaction(async (tx, publish) => {
      const rows = await tx.execute<unknown[]>(
        `update ${table} set ${column} = ? where ${key}::text = ? and ${column} = ? returning 1`,
        [resealed, id, sealed],
      );
      if (rows.length > 0 && !recorded.has(teamId)) {
        const team = TeamId.schema.parse(teamId);
        const context = auditOfCommand('rotateKeys', requestId);
        recordAudit(publish, team, context, { target: { type: 'processor_account', id: team }, changes });
      }
      return rows.length > 0;
    });
    if (isChanged) recorded.add(teamId);
    return isChanged;
  };
}

function open(ring: KeyRing, boundTo: SealedFor, sealed: string): string | undefined {
  try {
    return unseal(ring, boundTo, sealed);
  } catch {
    return undefined;
  }
}
