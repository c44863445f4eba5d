import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, ProjectId, TeamId } from '@billing/contracts/ids';
import { conflict, unavailable } from '@billing/contracts/problem';
import { idempotencyKey } from '../idempotency-key.ts';
import type { TeamProcessors } from '../team-processors.ts';
import { isUniqueViolation } from '@billing/service/database';
import type { Logger } from 'pino';
import { isRefusal } from './refusal.ts';
import { OUTDATED, type Write, type WriteKind } from './write-kind.ts';

/** How long a write is in the hands of whoever sends it, in seconds: a call and its retries fit. */
const CLAIM_SECONDS = 20;
/** How long a change waits for the one before it on the same resource, in milliseconds. */
const TURN_MS = 6_000;
/** The processor forgets idempotency keys after 24 hours; a write that is older can't be repeated safely. */
const GIVE_UP_HOURS = 23;
const LONGEST_DELAY_SECONDS = 300;

interface JournalOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  /** Every kind of write that may be found on record. */
  readonly kinds: readonly WriteKind[];
}

interface NewWrite {
  readonly resourceId: string;
  /** The operation key of a request with an `Idempotency-Key`, or null. */
  readonly requestKey?: string | null;
}

/** A row of the journal as it was claimed. */
interface ClaimedRow {
  readonly id: string;
  readonly team_id: TeamId;
  readonly project_id: ProjectId;
  readonly kind: string;
  readonly resource_id: string;
  readonly input: unknown;
  readonly attempts: number;
  readonly is_too_old: boolean;
}

const CLAIMED = `id, team_id, project_id, kind, resource_id, input, attempts,
  created_at < clock_timestamp() - interval '${GIVE_UP_HOURS} hours' as is_too_old`;

class TurnTaken extends Error {}

/**
 * Writes to the processor that neither a crash nor a lost answer can lose or double. Each is put on record first, with
 * what it reserves; then the processor is asked under an idempotency key made of the record; then its answer, the fact
 * about it and the end of the record are committed as one. What is found on record later is sent again under the
 * same key. Writes to one resource take turns.
 */
export function openJournal({ em, processors, logger, kinds }: JournalOptions) {
  const byName = new Map(kinds.map(kind => [kind.name, kind]));

  /**
   * Carries out a write. `reserve` runs in the transaction that puts it on record and answers its input; it may run
   * more than once, and has to lock the resource.
   * @throws Problem what `reserve` throws; `processor_error` after a refusal, with nothing left behind; `unavailable`
   * when the processor does not answer, and the write is finished later
   */
  async function perform<Input, Answer, Result>(
    kind: WriteKind<Input, Answer, Result>,
    scope: ProjectScope,
    { resourceId, requestKey = null }: NewWrite,
    reserve: (tx: EntityManager) => Promise<Input>,
  ): Promise<Result> {
    await processors.of(scope.teamId); // nothing is reserved for a team that is not connected
    const id = randomUUID();
    const input = await takeTurn(resourceId, async tx => {
      const reserved = await reserve(tx);
      const inserted = await tx.execute<unknown[]>(
        `insert into pending_writes (id, team_id, project_id, kind, resource_id, input, request_key, attempts, claimed_until, due_at, created_at)
         values (?, ?, ?, ?, ?, ?::jsonb, ?, 1, clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), clock_timestamp(), clock_timestamp())
         on conflict (resource_id) where finished_at is null do nothing returning 1`,
        [id, scope.teamId, scope.projectId, kind.name, resourceId, JSON.stringify(reserved), requestKey],
      );
      if (inserted.length === 0) throw new TurnTaken();
      return reserved;
    });
    return carryOut(kind, { ...scope, id, resourceId, input, idempotencyKey: idempotencyKey(kind.name, id) }, 1);
  }

  /** Does `change` in a transaction as soon as no write to the resource is under way; `change` has to lock it. */
  function changeAlone<Result>(resourceId: string, change: (tx: EntityManager) => Promise<Result>): Promise<Result> {
    return takeTurn(resourceId, async tx => {
      const result = await change(tx);
      if (await isPending(tx, resourceId)) throw new TurnTaken();
      return result;
    });
  }

  async function takeTurn<Result>(resourceId: string, work: (tx: EntityManager) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + TURN_MS;
    for (;;) {
      try {
        return await em.fork().transactional(work);
      } catch (err) {
        if (isUniqueViolation(err, 'pending_writes_request_key_unique')) throw keyInUse();
        if (!(err instanceof TurnTaken)) throw err;
      }
      if (await resume(resourceId)) continue;
      if (performance.now() > deadline) throw unavailable('Another change of this resource is still under way.');
      await pause(20 + Math.random() * 40);
    }
  }

  /**
   * Finishes the write to a resource that somebody left behind; false when there is none, or it is in somebody's hands.
   * @throws Problem `unavailable` when it still can't be finished
   */
  async function resume(resourceId: string): Promise<boolean> {
    const [row] = await em.fork().execute<ClaimedRow[]>(
      `update pending_writes
          set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), attempts = attempts + 1
        where resource_id = ? and finished_at is null and claimed_until < clock_timestamp() returning ${CLAIMED}`,
      [resourceId],
    );
    if (!row) return false;
    await finish(row);
    return true;
  }

  /** Takes up what is due, at most `limit` writes and few of each team; answers their outcomes as they come. */
  async function resumeDue(limit: number): Promise<Promise<void>[]> {
    const rows = await em.fork().execute<ClaimedRow[]>(
      `update pending_writes
          set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS}), attempts = attempts + 1
        where finished_at is null and claimed_until < clock_timestamp() and id in (
          select id from (
            select id, due_at, row_number() over (partition by team_id order by due_at) as place from pending_writes
             where finished_at is null and claimed_until < clock_timestamp() and due_at < clock_timestamp()) as due
           where place <= 4 order by due_at limit ?)
        returning ${CLAIMED}`,
      [limit],
    );
    return rows.map(row =>
      finish(row).catch((err: unknown) => {
        const { id, kind, resource_id: resourceId, team_id: teamId, attempts } = row;
        logger.warn({ err, writeId: id, kind, resourceId, teamId, attempts }, 'write to the processor not finished');
      }),
    );
  }

  /** The resource that a request with this key made before; finishes its write if that was left behind. */
  async function findRequested(scope: ProjectScope, kind: WriteKind, requestKey: string | null) {
    if (requestKey === null) return null;
    const find = async () => {
      const [row] = await em
        .fork()
        .execute<{ resource_id: string; finished_at: Date | null }[]>(
          `select resource_id, finished_at from pending_writes where team_id = ? and project_id = ? and kind = ? and request_key = ?`,
          [scope.teamId, scope.projectId, kind.name, requestKey],
        );
      return row;
    };
    let row = await find();
    if (!row) return null;
    if (row.finished_at === null) {
      await resume(row.resource_id);
      row = await find();
    }
    if (row?.finished_at === null) throw keyInUse();
    return row?.resource_id ?? null;
  }

  async function finish(row: ClaimedRow): Promise<void> {
    const kind = byName.get(row.kind);
    if (!kind) throw new Error(`No kind of write is called ${row.kind}.`);
    const { id, team_id: teamId, project_id: projectId, resource_id: resourceId } = row;
    const key = idempotencyKey(kind.name, id);
    const write = { id, teamId, projectId, resourceId, input: kind.input.parse(row.input), idempotencyKey: key };
    if (row.is_too_old) {
      logger.error({ writeId: id, kind: kind.name, resourceId, teamId }, 'write to the processor given up');
      return cancel(kind, write);
    }
    await carryOut(kind, write, row.attempts);
  }

  async function carryOut<Input, Answer, Result>(
    kind: WriteKind<Input, Answer, Result>,
    write: Write<Input>,
    attempt: number,
  ): Promise<Result> {
    try {
      const processor = await processors.of(write.teamId);
      let answer = await kind.send(processor, write, em.fork());
      for (;;) {
        const result = await commit(kind, write, answer);
        if (result !== OUTDATED) return result;
        if (!kind.lookAgain) throw new Error(`${kind.name} can't look again.`);
        answer = await kind.lookAgain(processor, write, em.fork());
      }
    } catch (err) {
      if (isRefusal(err, attempt)) await cancel(kind, write);
      else await postpone(write, attempt);
      throw err;
    }
  }

  function commit<Input, Answer, Result>(
    kind: WriteKind<Input, Answer, Result>,
    write: Write<Input>,
    answer: Answer,
  ): Promise<Result | typeof OUTDATED> {
    return em.fork().transactional(async tx => {
      if (!(await isOnRecord(tx, write)))
        throw unavailable('The change took so long that it was finished elsewhere; look at the resource again.');
      const result = await kind.commit(tx, write, answer);
      if (result !== OUTDATED) await takeOffRecord(tx, write);
      return result;
    });
  }

  async function cancel<Input>(kind: WriteKind<Input>, write: Write<Input>): Promise<void> {
    await em.fork().transactional(async tx => {
      if (!(await isOnRecord(tx, write))) return;
      await kind.cancel(tx, write);
      await tx.execute('delete from pending_writes where id = ?', [write.id]);
    });
  }

  /** Lets go of a write; a failure to say so only delays the next attempt. */
  async function postpone({ id }: Write, attempt: number): Promise<void> {
    const delay = Math.min(2 ** (attempt - 1), LONGEST_DELAY_SECONDS);
    const letGo = `update pending_writes set claimed_until = clock_timestamp(),
      due_at = clock_timestamp() + make_interval(secs => ?) where id = ? and finished_at is null`;
    await em
      .fork()
      .execute(letGo, [delay, id])
      .catch((err: unknown) => logger.warn({ err, writeId: id }, 'write to the processor not let go'));
  }

  return { perform, changeAlone, resume, resumeDue, findRequested };
}

export type Journal = ReturnType<typeof openJournal>;

function keyInUse() {
  return conflict('idempotency_key_in_use', 'A request with this Idempotency-Key is still under way.', 2);
}

async function isPending(tx: EntityManager, resourceId: string): Promise<boolean> {
  const rows = await tx.execute<unknown[]>(
    'select 1 from pending_writes where resource_id = ? and finished_at is null',
    [resourceId],
  );
  return rows.length > 0;
}

/** Locks the record, so that of two who send the same write one commits. */
async function isOnRecord(tx: EntityManager, { id }: Write): Promise<boolean> {
  const rows = await tx.execute<unknown[]>(
    'select 1 from pending_writes where id = ? and finished_at is null for update',
    [id],
  );
  return rows.length > 0;
}

/** A write that a caller may ask for again by key is remembered, any other is forgotten. */
async function takeOffRecord(tx: EntityManager, { id }: Write): Promise<void> {
  await tx.execute('delete from pending_writes where id = ? and request_key is null', [id]);
  await tx.execute(`update pending_writes set finished_at = clock_timestamp(), input = 'null' where id = ?`, [id]);
}
