import { createHash, randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import { conflict, invalid, unprocessable, type Problem } from '@billing/contracts/problem';

const IdempotentRequestSchema = defineEntity({
  name: 'IdempotentRequest',
  tableName: 'idempotent_requests',
  indexes: [{ name: 'idempotent_requests_created_at', properties: ['createdAt'] }],
  properties: {
    /** The project, team or user whose key it is. */
    owner: p.text().primary(),
    key: p.text().primary(),
    /** What was asked: method, path and body. */
    fingerprint: p.text(),
    /** Stays the same when the request is run again after a crash, so that what it makes is made once. */
    operationKey: p.uuid(),
    /** Until then somebody works on it. */
    claimedUntil: p.datetime(),
    status: p.integer().nullable(),
    body: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

/** A request that carried an `Idempotency-Key`, and its answer once there is one. */
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
        claimed_until timestamptz not null,
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

/** An answer as it went over the wire. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

export interface IdempotentCall {
  /** The project, team or user whose key it is: others may use the same text. */
  readonly owner: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** How long a key is remembered, in hours. */
const REMEMBER_HOURS = 24;
/** A claim that was not renewed for so long, in seconds, is a dead process's. */
const CLAIM_SECONDS = 10;
const RENEW_MS = 3_000;

/**
 * The text of an `Idempotency-Key` header; undefined without one.
 * @throws Problem 400 when it is empty or longer than 255 characters
 */
export function idempotencyKeyOf(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid([{ path: 'Idempotency-Key', message: 'Expected one key of 1 to 255 printable characters.' }]);
}

/**
 * Runs a request once: the same key and request within 24 hours get the first answer again. What `run` rejects with
 * and answers of 500 and above are not kept, so that a repeat tries again. A request whose process died is run again under the same operation key.
 * @throws Problem 422 `idempotency_key_reused` for another request, 409 `idempotency_key_in_use` while the first runs,
 * which is known within seconds after its process died
 */
export async function runOnce(
  em: EntityManager,
  call: IdempotentCall,
  run: (operationKey: string) => Promise<StoredAnswer>,
): Promise<StoredAnswer & { readonly replayed: boolean }> {
  const fingerprint = fingerprintOf(call);
  const claim = await claimKey(em, call, fingerprint);
  if (claim.kind === 'answered') return { ...claim.answer, replayed: true };
  const renewing = setInterval(() => void renew(em, call), RENEW_MS);
  try {
    const answer = await run(claim.operationKey);
    await settle(em, call, answer.status < 500 ? answer : undefined);
    return { ...answer, replayed: false };
  } catch (err) {
    await settle(em, call, undefined).catch(() => undefined); // the claim ends by itself; the first error is the one to tell
    throw err;
  } finally {
    clearInterval(renewing);
  }
}

type Claim =
  | { readonly kind: 'run'; readonly operationKey: string }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer };

async function claimKey(em: EntityManager, { owner, key }: IdempotentCall, fingerprint: string): Promise<Claim> {
  const [claimed] = await em.fork().execute<{ operation_key: string }[]>(
    `insert into idempotent_requests as known (owner, key, fingerprint, operation_key, claimed_until, created_at)
     values (?, ?, ?, ?, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), clock_timestamp())
     on conflict (owner, key) do update set
       claimed_until = excluded.claimed_until,
       fingerprint = excluded.fingerprint,
       status = null,
       body = null,
       operation_key = case when known.created_at < clock_timestamp() - interval '${REMEMBER_HOURS} hours'
                            then excluded.operation_key else known.operation_key end,
       created_at = case when known.created_at < clock_timestamp() - interval '${REMEMBER_HOURS} hours'
                         then excluded.created_at else known.created_at end
     where known.created_at < clock_timestamp() - interval '${REMEMBER_HOURS} hours'
        or (known.status is null and known.claimed_until < clock_timestamp() and known.fingerprint = excluded.fingerprint)
     returning operation_key`,
    [owner, key, fingerprint, randomUUID()],
  );
  if (claimed) return { kind: 'run', operationKey: claimed.operation_key };
  const [known] = await em
    .fork()
    .execute<{ fingerprint: string; status: number | null; body: string | null }[]>(
      'select fingerprint, status, body from idempotent_requests where owner = ? and key = ?',
      [owner, key],
    );
  if (known && known.fingerprint !== fingerprint)
    throw unprocessable('idempotency_key_reused', 'This Idempotency-Key was used for another request; take a new one.');
  if (known?.status == null || known.body === null)
    throw conflict('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running.', 2);
  return { kind: 'answered', answer: { status: known.status, body: known.body } };
}

/** Says that the request still runs; what goes wrong here the next time mends, or the claim ends. */
async function renew(em: EntityManager, { owner, key }: IdempotentCall): Promise<void> {
  await em
    .fork()
    .execute(
      `update idempotent_requests set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
        where owner = ? and key = ? and status is null`,
      [owner, key],
    )
    .catch(() => undefined);
}

/** Keeps the answer, unless one is kept, or lets go of the key so that a repeat may run. */
async function settle(
  em: EntityManager,
  { owner, key }: IdempotentCall,
  answer: StoredAnswer | undefined,
): Promise<void> {
  await em.fork().execute(
    `update idempotent_requests set status = ?, body = ?, claimed_until = clock_timestamp()
        where owner = ? and key = ? and status is null`,
    [answer?.status ?? null, answer?.body ?? null, owner, key],
  );
}

function fingerprintOf({ method, path, body }: IdempotentCall): string {
  return createHash('sha256')
    .update(`${method} ${path}\n`)
    .update(JSON.stringify(sorted(body)) ?? '')
    .digest('base64url');
}

/** The same whatever the order in which an object's keys were sent. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, field]) => [name, sorted(field)]);
}

/** Forgets keys older than a day. */
export async function forgetIdempotentRequests(em: EntityManager, batchSize = 5_000): Promise<void> {
  await em.fork().execute(
    `delete from idempotent_requests where (owner, key) in (
       select owner, key from idempotent_requests where created_at < now() - interval '${REMEMBER_HOURS} hours' limit ?)`,
    [batchSize],
  );
}

/** What a problem looks like as a stored answer. */
export function answerOf(problem: Problem, requestId: string): StoredAnswer {
  return { status: problem.status, body: JSON.stringify(problem.toBody(requestId)) };
}
