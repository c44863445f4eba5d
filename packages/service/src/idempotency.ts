import { createHash, randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { conflict, invalid, unprocessable, type Problem } from '@billing/contracts/problem';

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
    /** Until then, one process runs the request. */
    leasedUntil: p.datetime(),
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
        leased_until timestamptz not null,
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
/** A lease that was not renewed for so long, in seconds, belongs to a dead process. */
const LEASE_SECONDS = 10;
const RENEW_MS = 3_000;

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
export async function runOnce(
  em: EntityManager,
  call: IdempotentCall,
  run: (operationKey: string) => Promise<StoredResponse>,
): Promise<StoredResponse & { readonly replayed: boolean }> {
  const fingerprint = fingerprintOf(call);
  const lease = await leaseKey(em, call, fingerprint);
  if (lease.kind === 'completed') return { ...lease.response, replayed: true };
  const renewing = setInterval(() => void renew(em, call), RENEW_MS);
  try {
    const response = await run(lease.operationKey);
    await release(em, call, response.status < 500 ? response : undefined);
    return { ...response, replayed: false };
  } catch (err) {
    await release(em, call, undefined).catch(() => undefined); // the lease expires by itself; the first error matters
    throw err;
  } finally {
    clearInterval(renewing);
  }
}

type Lease =
  | { readonly kind: 'run'; readonly operationKey: string }
  | { readonly kind: 'completed'; readonly response: StoredResponse };

async function leaseKey(em: EntityManager, { owner, key }: IdempotentCall, fingerprint: string): Promise<Lease> {
  const [leased] = await em.fork().execute<{ operation_key: string }[]>(
    `insert into idempotent_requests as existing (owner, key, fingerprint, operation_key, leased_until, created_at)
     values (?, ?, ?, ?, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), clock_timestamp())
     on conflict (owner, key) do update set
       leased_until = excluded.leased_until,
       fingerprint = excluded.fingerprint,
       status = null,
       body = null,
       operation_key = case when existing.created_at < clock_timestamp() - interval '${KEY_HOURS} hours'
                            then excluded.operation_key else existing.operation_key end,
       created_at = case when existing.created_at < clock_timestamp() - interval '${KEY_HOURS} hours'
                         then excluded.created_at else existing.created_at end
     where existing.created_at < clock_timestamp() - interval '${KEY_HOURS} hours'
        or (existing.status is null and existing.leased_until < clock_timestamp() and existing.fingerprint = excluded.fingerprint)
     returning operation_key`,
    [owner, key, fingerprint, randomUUID()],
  );
  if (leased) return { kind: 'run', operationKey: leased.operation_key };
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

/** Extends the lease while the request runs. Errors are ignored: the next renewal succeeds, or the lease expires. */
async function renew(em: EntityManager, { owner, key }: IdempotentCall): Promise<void> {
  await em
    .fork()
    .execute(
      `update idempotent_requests set leased_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
        where owner = ? and key = ? and status is null`,
      [owner, key],
    )
    .catch(() => undefined);
}

/** Ends the lease: stores the response, unless one is stored already, or frees the key so that a repeat may run. */
async function release(
  em: EntityManager,
  { owner, key }: IdempotentCall,
  response: StoredResponse | undefined,
): Promise<void> {
  await em.fork().execute(
    `update idempotent_requests set status = ?, body = ?, leased_until = clock_timestamp()
        where owner = ? and key = ? and status is null`,
    [response?.status ?? null, response?.body ?? null, owner, key],
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

/** Deletes keys older than a day. */
export async function deleteExpiredIdempotentRequests(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from idempotent_requests where (owner, key) in (
       select owner, key from idempotent_requests where created_at < now() - interval '${KEY_HOURS} hours' limit ?)`,
    [batchSize],
  );
}

/** Returns a problem as a stored response. */
export function problemResponse(problem: Problem, requestId: string): StoredResponse {
  return { status: problem.status, body: JSON.stringify(problem.toBody(requestId)) };
}

// Old name, until every service runs on the chassis.
export { deleteExpiredIdempotentRequests as forgetIdempotentRequests };
