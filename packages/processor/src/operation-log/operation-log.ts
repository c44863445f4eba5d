import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { changedMeanwhile, conflict } from '@billing/contracts/problem';
import { inTransaction } from '@billing/database/transaction';
import type { PublishingWork } from '@billing/messaging/outbox';
import { operationFinisher, type FinisherOptions } from './carry-out.ts';
import type { OperationKind } from './operation-kind.ts';
import {
  insertAgain,
  insertDue,
  insertLeased,
  isOpen,
  leaseDue,
  leaseOne,
  type LeasedOperation,
} from './operation-rows.ts';

/** How long a change waits for the one before it on the same resource, in milliseconds. */
const TURN_MS = 6_000;

interface OperationLogOptions extends FinisherOptions {
  /** Every kind of operation that may be in the log. */
  readonly kinds: readonly OperationKind[];
}

/** What a request writes, and on which resource. */
interface Requested<Result> {
  readonly resourceId: string;
  /** The operation key of the request, or a fresh one; for a resource that is created, its id is derived from it. */
  readonly operationKey?: string | undefined;
  /** Finds the result of an earlier run with the same key; null when there is none. */
  readonly find?: ((em: EntityManager) => Promise<Result | null>) | undefined;
}

/** What the reconciler writes, and on which resource. */
interface Enqueued<Input> extends ProjectScope {
  readonly resourceId: string;
  readonly input: Input;
  /** The operation key: enqueued again under the same key, it is the same operation. */
  readonly key: string;
}

class TurnTaken extends Error {}

/**
 * Writes to the processor that neither a crash nor a lost response can lose or double. Each is logged first, together
 * with what it reserves; then the processor is called under an idempotency key made from the operation key; then its
 * response, the event about it and the end of the operation are committed in one transaction. An operation that was left
 * behind is finished by the same code, under the same key. Operations on one resource take turns.
 */
export function openOperationLog({ kinds, ...options }: OperationLogOptions) {
  const { outbox, processors, logger } = options;
  const { em } = outbox;
  const byName = new Map(kinds.map(kind => [kind.name, kind]));
  const { carryOut, giveUpKey } = operationFinisher(options);

  /**
   * Carries out an operation and returns its result. `reserve` runs in the transaction that logs the operation and
   * returns its input; it may run more than once, and has to lock the resource. The same operation key gives the same
   * result: an operation that was left behind is finished, and a result that is there already is returned.
   * @throws Problem what `reserve` and `carryOut` throw; 409 `idempotency_key_in_use`; 409 `conflict` when the changes
   * before it on the resource take too long
   */
  async function perform<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    scope: ProjectScope,
    { resourceId, operationKey: key = randomUUID(), find }: Requested<Result>,
    reserve: (tx: EntityManager) => Promise<Input>,
  ): Promise<Result> {
    await processors.of(scope.teamId); // nothing is reserved for a team that is not connected
    return takeTurn(resourceId, async () => {
      if (find) {
        if (await isOpen(em.fork(), { id: key })) return finishOwn(kind, key);
        const found = await find(em.fork());
        if (found !== null) return found;
      }
      const leased = await inTransaction(em, async tx => {
        const input = await reserve(tx);
        // An insert would wait for the operation before it, whose commit waits for the lock on the resource.
        if (await isOpen(tx, { resourceId })) throw new TurnTaken();
        const isSent = kind.prepare === undefined;
        const inserted = await insertLeased(tx, { ...scope, key, kind: kind.name, resourceId, input }, isSent);
        if (!inserted) throw new TurnTaken();
        return inserted;
      });
      return carryOut(kind, leased);
    });
  }

  /** Finishes an operation that an earlier run with the same key left behind. */
  async function finishOwn<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    id: string,
  ): Promise<Result> {
    const leased = await leaseOne(em, { id });
    if (!leased) throw conflict('idempotency_key_in_use', 'A request with this Idempotency-Key is still running.', 2);
    if (leased.kind !== kind.name) throw new Error(`Operation ${id} is a ${leased.kind}, not a ${kind.name}.`);
    if (!leased.isTooOld || leased.isKeyClosed) return carryOut(kind, leased);
    throw await giveUpKey(kind, leased);
  }

  /**
   * Logs operations that the reconciler sends, in the caller's transaction: for writes that no request waits for. One
   * that is in the log already under its key is left out.
   * @throws UniqueConstraintViolationException when another operation on the resource is open
   */
  async function enqueue<Input>(
    tx: EntityManager,
    kind: OperationKind<Input>,
    operations: readonly Enqueued<Input>[],
  ): Promise<void> {
    const rows = operations.map(operation => ({ ...operation, kind: kind.name }));
    await insertDue(tx, rows);
  }

  /**
   * Logs an operation again that was canceled, in the caller's transaction, which must have made sure that it was. It gets
   * a new idempotency key. The reconciler first searches for what it may have done since `createdAt`, and sends it only when
   * nothing is found.
   * @throws UniqueConstraintViolationException when it, or another operation on the resource, is open
   */
  async function enqueueAgain<Input>(
    tx: EntityManager,
    kind: OperationKind<Input>,
    operation: Enqueued<Input>,
    createdAt: Date,
  ): Promise<void> {
    await insertAgain(tx, { ...operation, kind: kind.name }, createdAt);
  }

  /** Runs `change` in a transaction while no operation on the resource is open; `change` has to lock it. */
  function runExclusively<Result>(resourceId: string, change: PublishingWork<Result>): Promise<Result> {
    return takeTurn(resourceId, () =>
      outbox.transaction(async (tx, publish) => {
        const result = await change(tx, publish);
        if (await isOpen(tx, { resourceId })) throw new TurnTaken();
        return result;
      }),
    );
  }

  async function takeTurn<Result>(resourceId: string, work: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + TURN_MS;
    for (;;) {
      try {
        return await work();
      } catch (err) {
        if (!(err instanceof TurnTaken)) throw err;
      }
      if (await resume(resourceId)) continue;
      if (performance.now() > deadline) throw changedMeanwhile();
      await pause(20 + Math.random() * 40);
    }
  }

  /**
   * Finishes the operation on a resource that another process left behind; false when there is none, or it is leased.
   * @throws Problem `unavailable` when it still can't be finished
   */
  async function resume(resourceId: string): Promise<boolean> {
    const leased = await leaseOne(em, { resourceId });
    if (!leased) return false;
    await finish(leased);
    return true;
  }

  /** Finishes a leased operation of any kind. */
  async function finish(leased: LeasedOperation): Promise<void> {
    const kind = byName.get(leased.kind);
    if (!kind) throw new Error(`No kind of remote operation is called ${leased.kind}.`);
    if (leased.isTooOld && !leased.isKeyClosed) await giveUpKey(kind, leased);
    else await carryOut(kind, leased);
  }

  /** The same for the reconciler: a failure is logged, and tried again when the operation is due. */
  async function finishLeft(leased: LeasedOperation): Promise<void> {
    const { id: operationId, kind, resourceId, teamId, attempts } = leased;
    await finish(leased).catch((err: unknown) =>
      logger.warn({ err, operationId, kind, resourceId, teamId, attempts }, 'remote operation not finished'),
    );
  }

  return {
    em,
    perform,
    enqueue,
    enqueueAgain,
    runExclusively,
    resume,
    leaseDue: (limit: number) => leaseDue(em, limit),
    finishLeft,
  };
}

export type OperationLog = ReturnType<typeof openOperationLog>;
