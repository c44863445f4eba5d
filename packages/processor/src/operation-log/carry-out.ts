import { unavailable, type Problem } from '@billing/contracts/problem';
import type { Outbox } from '@billing/messaging/outbox';
import type { Logger } from 'pino';
import { idempotencyKey } from '../idempotency-key.ts';
import type { Processor } from '../port.ts';
import type { TeamProcessors } from '../team-processors.ts';
import { afterFailure } from './after-failure.ts';
import { STALE, type OperationKind, type RemoteOperation } from './operation-kind.ts';
import {
  closeKey,
  deleteOperation,
  lockOpen,
  markCanceled,
  markSent,
  postpone,
  takeNextKey,
  type LeasedOperation,
} from './operation-rows.ts';

/** Between closing a key and searching for what was made under it, in seconds: no call lasts longer. */
const QUIET_SECONDS = 300;
const MAX_DELAY_SECONDS = 300;
/** How often events may overtake a response in one attempt. */
const MAX_REREADS = 5;

export interface FinisherOptions {
  readonly outbox: Outbox;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  /** Seconds between closing a key and the search. */
  readonly quietSeconds?: number | undefined;
}

/** Makes the two functions that end an operation: `carryOut`, and `giveUpKey` for one that is too old to be sent. */
export function operationFinisher({ outbox, processors, logger, quietSeconds = QUIET_SECONDS }: FinisherOptions) {
  const { em } = outbox;

  /**
   * Sends a leased operation, or finds what it made before, and commits the outcome. This is the only code that does,
   * for requests and for the reconciler.
   * @throws Problem `processor_error` after a refusal, with the reservation undone; `unavailable` when the outcome is
   * unknown, and the operation is finished later
   */
  async function carryOut<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    leased: LeasedOperation,
  ): Promise<Result> {
    let step: 'send' | 'search' | 'commit' = leased.isKeyClosed ? 'search' : 'send';
    try {
      const processor = await processors.of(leased.teamId);
      const found = leased.isKeyClosed ? await findExisting(kind, leased, processor) : null;
      step = 'send';
      const operation = found ? toOperation(kind, leased) : await beginSending(kind, leased);
      let response = found ? found.response : await kind.send(processor, operation, em.fork());
      for (let rereads = 0; ; rereads += 1) {
        step = 'commit';
        const result = await commit(kind, operation, response);
        if (result !== STALE) return result;
        if (rereads === MAX_REREADS) throw unavailable('The resource is changing too fast; try again.');
        if (!kind.reread) throw new Error(`${kind.name} has no reread.`);
        step = 'send';
        response = await kind.reread(processor, operation, em.fork());
      }
    } catch (err) {
      await handleFailure(kind, leased, { step, error: err });
      throw err;
    }
  }

  /** Searches for what was made under a closed key. Null when nothing was; then the next key is taken. */
  async function findExisting<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    leased: LeasedOperation,
    processor: Processor,
  ): Promise<{ readonly response: Response } | null> {
    const response = await kind.findExisting?.(processor, toOperation(kind, leased), em.fork());
    return response === null || response === undefined ? null : { response };
  }

  /** Fixes the input and the key under which the operation is sent. */
  async function beginSending<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    leased: LeasedOperation,
  ): Promise<RemoteOperation<Input>> {
    const current = leased.isKeyClosed ? await takeNextKey(em.fork(), leased) : leased;
    if (!current) throw takenOver();
    const operation = toOperation(kind, current);
    const isJustBegun = current.isSent && current.attempts === 1;
    if (isJustBegun) return operation;
    const input = kind.prepare && !current.isSent ? await kind.prepare(operation, em.fork()) : operation.input;
    if (!(await markSent(em.fork(), current, input))) throw takenOver();
    return { ...operation, input };
  }

  function commit<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    operation: RemoteOperation<Input>,
    response: Response,
  ): Promise<Result | typeof STALE> {
    return outbox.transaction(async (tx, publish) => {
      if (!(await lockOpen(tx, operation.id)))
        throw unavailable('The change took so long that it was finished elsewhere; read the resource again.');
      const result = await kind.commit(tx, operation, response, publish);
      if (result !== STALE) await deleteOperation(tx, operation.id);
      return result;
    });
  }

  /** If this fails too, the lease ends by itself and the operation is due again. */
  async function handleFailure(
    kind: OperationKind,
    leased: LeasedOperation,
    { step, error }: { step: 'send' | 'search' | 'commit'; error: unknown },
  ): Promise<void> {
    const reason = error instanceof Error ? error : new Error(String(error));
    const canSearch = kind.findExisting !== undefined;
    const { id, attempts, keyVersion } = leased;
    const next = afterFailure(error, { step, attempt: attempts, canSearch });
    try {
      if (next === 'cancel') return await cancel(kind, leased, reason);
      if (next === 'close-key') {
        logger.warn({ err: error, operationId: id, kind: kind.name, keyVersion }, 'idempotency key closed');
        return await release(kind, leased, reason, tx => closeKey(tx, leased, quietSeconds));
      }
      const longest = kind.maxDelaySeconds ?? MAX_DELAY_SECONDS;
      const delay = Math.min(2 ** Math.min(attempts - 1, 30), longest) * (0.75 + Math.random() / 2);
      await release(kind, leased, reason, tx => postpone(tx, leased, delay));
    } catch (err) {
      logger.warn({ err, operationId: id, kind: kind.name }, 'remote operation not released, its lease will end');
    }
  }

  async function release(
    kind: OperationKind,
    leased: LeasedOperation,
    reason: Error,
    change: (tx: Outbox['em']) => Promise<boolean>,
  ): Promise<void> {
    await em.fork().transactional(async tx => {
      if (await change(tx)) await kind.onFailure?.(tx, toOperation(kind, leased), reason);
    });
  }

  async function cancel(kind: OperationKind, leased: LeasedOperation, reason: Error): Promise<void> {
    await outbox.transaction(async (tx, publish) => {
      if (await markCanceled(tx, leased)) await kind.cancel(tx, toOperation(kind, leased), reason, publish);
    });
  }

  /** Ends the use of a key that the processor is about to forget: the operation is searched for later, or canceled. */
  async function giveUpKey(kind: OperationKind, leased: LeasedOperation): Promise<void> {
    const reason = unavailable('The payment processor has not confirmed this change for a day.');
    if (kind.findExisting) return release(kind, leased, reason, tx => closeKey(tx, leased, quietSeconds));
    const { id, resourceId, teamId } = leased;
    logger.error({ operationId: id, kind: kind.name, resourceId, teamId }, 'remote operation given up');
    await cancel(kind, leased, reason);
  }

  return { carryOut, giveUpKey };
}

function toOperation<Input>(kind: OperationKind<Input>, leased: LeasedOperation): RemoteOperation<Input> {
  const { id, teamId, projectId, resourceId, keyVersion, attempts, createdMs } = leased;
  return {
    id,
    teamId,
    projectId,
    resourceId,
    input: kind.input.parse(leased.input),
    idempotencyKey: idempotencyKey(kind.name, id, keyVersion),
    keyVersion,
    attempt: attempts,
    createdAt: new Date(createdMs),
  };
}

const takenOver = (): Problem => unavailable('The change is continued elsewhere; read the resource again.');
