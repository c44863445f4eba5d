import { createHash, randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { executeBound } from '@billing/database/bound-statement';
import { extendLease, type LeasedTable } from '@billing/database/lease-rows';
import { conflict, invalid, unprocessable } from '@billing/contracts/problem';
import { toProblem } from './to-problem.ts';

const IdempotentRequestSchema = defineEntity({
  name: 'IdempotentRequest',
  tableName: 'idempotent_requests',
  indexes: [{ name: 'idempotent_requests_created_at', properties: ['createdAt'] }],
  properties: {
    /** The project, team or user that the key belongs to. */
    owner: p.text().primary(),
    key: p.text().primary(),
    /** Hash of method, path and body. */
    fingerprint: p.text(),
    /** The same when the request runs again after a crash, so that it creates its resource once. */
    operationKey: p.uuid(),
    /** When a repeat may run the request: the end of the lease while a process runs it. */
    dueAt: p.datetime(),
    leaseId: p.uuid().nullable(),
    status: p.integer().nullable(),
    body: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

/** A request with an `Idempotency-Key`, and its response once there is one. */
export class IdempotentRequest extends IdempotentRequestSchema.class {}
IdempotentRequestSchema.setClass(IdempotentRequest);

class CreateIdempotentRequests extends Migration {
  override up(): void {
    this.addSql(`
      create table idempotent_requests (
        owner text not null,
        key text not null,
        fingerprint text not null,
        operation_key uuid not null,
        due_at timestamptz not null,
        lease_id uuid,
        status int,
        body text,
        created_at timestamptz not null,
        primary key (owner, key)
      )`);
    this.addSql(`create index idempotent_requests_created_at on idempotent_requests (created_at)`);
  }
}

export const idempotencyEntities = [IdempotentRequest];
export const idempotencyMigrations = [{ name: '0000-create-idempotent-requests', class: CreateIdempotentRequests }];

/** A response as it was sent. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

export interface IdempotentCall {
  /** The project, team or user that the key belongs to; others may use the same key. */
  readonly owner: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** How long a key is valid, in hours. */
const KEY_HOURS = 24;
/** A lease that was not extended for so long, in seconds, belongs to a dead process. */
const LEASE_SECONDS = 10;
const EXTEND_MS = 3_000;

const IDEMPOTENT_REQUESTS: LeasedTable = {
  table: 'idempotent_requests',
  key: ['owner', 'key'],
  leaseSeconds: LEASE_SECONDS,
  columns: 'operation_key',
};

/**
 * Returns the value of an `Idempotency-Key` header; undefined without one.
 * @throws Problem 400 when it is empty or longer than 255 characters
 */
export function idempotencyKeyOf(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid([{ path: 'Idempotency-Key', message: 'Expected one key of 1 to 255 printable characters.' }]);
}

/**
 * Runs a request once: the same key and request within 24 hours get the stored first response. Errors thrown by `run` and
 * responses of 500 and above are not stored, so that a repeat runs again. If the process dies, a repeat runs under the
 * same operation key, within seconds.
 * @throws Problem 422 `idempotency_key_reused` for another request, 409 `idempotency_key_in_use` while the first runs
 */
async function runOnce(
  em: EntityManager,
  call: IdempotentCall,
  run: (operationKey: string) => Promise<StoredResponse>,
): Promise<StoredResponse & { readonly replayed: boolean }> {
  const fingerprint = fingerprintOf(call);
  const lease = await leaseKey(em, call, fingerprint);
  if (lease.kind === 'completed') return { ...lease.response, replayed: true };
  const extending = setInterval(() => void extend(em, call, lease.leaseId), EXTEND_MS);
  try {
    const response = await run(lease.operationKey);
    await finish(em, call, lease.leaseId, response.status < 500 ? response : null);
    return { ...response, replayed: false };
  } catch (err) {
    await finish(em, call, lease.leaseId, null).catch(() => undefined); // the lease ends by itself; the first error matters
    throw err;
  } finally {
    clearInterval(extending);
  }
}

type Lease =
  | { readonly kind: 'run'; readonly operationKey: string; readonly leaseId: string }
  | { readonly kind: 'completed'; readonly response: StoredResponse };

async function leaseKey(em: EntityManager, { owner, key }: IdempotentCall, fingerprint: string): Promise<Lease> {
  const leaseId = randomUUID();
  const [leased] = await executeBound<{ operation_key: string }>(
    em.fork(),
    `insert into idempotent_requests as existing
       (owner, key, fingerprint, operation_key, lease_id, due_at, created_at)
     values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), clock_timestamp())
     on conflict (owner, key) do update set
       lease_id = excluded.lease_id,
       due_at = excluded.due_at,
       fingerprint = excluded.fingerprint,
       status = null,
       body = null,
       operation_key = case when existing.created_at < clock_timestamp() - interval '${KEY_HOURS} hours'
                            then excluded.operation_key else existing.operation_key end,
       created_at = case when existing.created_at < clock_timestamp() - interval '${KEY_HOURS} hours'
                         then excluded.created_at else existing.created_at end
     where existing.created_at < clock_timestamp() - interval '${KEY_HOURS} hours'
        or (existing.status is null and existing.due_at < clock_timestamp() and existing.fingerprint = excluded.fingerprint)
     returning operation_key`,
    [owner, key, fingerprint, randomUUID(), leaseId],
  );
  if (leased) return { kind: 'run', operationKey: leased.operation_key, leaseId };
  const [existing] = await em
    .fork()
    .execute<{ fingerprint: string; status: number | null; body: string | null }[]>(
      'select fingerprint, status, body from idempotent_requests where owner = ? and key = ?',
      [owner, key],
    );
  if (existing && existing.fingerprint !== fingerprint)
    throw unprocessable('idempotency_key_reused', 'This Idempotency-Key was used for another request; take a new one.');
  if (existing?.status == null || existing.body === null)
    throw conflict('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running.', 2);
  return { kind: 'completed', response: { status: existing.status, body: existing.body } };
}

/** Extends the lease while the request runs. Errors are ignored: the next extension succeeds, or the lease ends. */
async function extend(em: EntityManager, { owner, key }: IdempotentCall, leaseId: string): Promise<void> {
  const lease = { leaseId, keys: [{ owner, key }], seconds: LEASE_SECONDS };
  await extendLease(em.fork(), IDEMPOTENT_REQUESTS, lease).catch(() => undefined);
}

/** Ends the lease: stores the response, or lets a repeat run the request when there is none to store. */
async function finish(
  em: EntityManager,
  { owner, key }: IdempotentCall,
  leaseId: string,
  response: StoredResponse | null,
): Promise<void> {
  await executeBound(
    em.fork(),
    `update idempotent_requests set status = $4, body = $5, due_at = clock_timestamp(), lease_id = null
      where owner = $1 and key = $2 and lease_id = $3`,
    [owner, key, leaseId, response?.status ?? null, response?.body ?? null],
  );
}

function fingerprintOf({ method, path, body }: IdempotentCall): string {
  return createHash('sha256')
    .update(`${method} ${path}\n`)
    .update(JSON.stringify(sorted(body)) ?? '')
    .digest('base64url');
}

/** Makes the fingerprint independent of the order of an object's keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, field]) => [name, sorted(field)]);
}

/** Deletes up to `limit` keys that are older than a day; returns whether there may be more. */
export async function deleteExpiredIdempotentRequests(em: EntityManager, limit = 5_000): Promise<boolean> {
  const deleted = await em.fork().execute<unknown[]>(
    `delete from idempotent_requests where (owner, key) in (
       select owner, key from idempotent_requests where created_at < now() - interval '${KEY_HOURS} hours' limit ?)
     returning 1`,
    [limit],
  );
  return deleted.length === limit;
}

/**
 * Runs a request once, as `runOnce` does. A problem is a response that is stored too, unless a repeat may fare better: while
 * it is transient, or the caller was not allowed, for example before verifying their password.
 */
export function respondOnce(
  em: EntityManager,
  call: IdempotentCall,
  requestId: string,
  respond: (operationKey: string) => Promise<StoredResponse>,
): Promise<StoredResponse & { readonly replayed: boolean }> {
  return runOnce(em, call, async operationKey => {
    try {
      return await respond(operationKey);
    } catch (err) {
      const problem = toProblem(err);
      if (problem.isTransient || problem.kind === 'forbidden') throw err;
      return { status: problem.status, body: JSON.stringify(problem.toBody(requestId)) };
    }
  });
}
