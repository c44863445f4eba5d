import { unavailable, type Problem } from '@billing/contracts/problem';
import { inTransaction } from '@billing/database/transaction';
import type { Outbox } from '@billing/messaging/outbox';
import type { Logger } from 'pino';
import { idempotencyKey } from '../idempotency-key.ts';
import type { Processor } from '../port.ts';
import type { TeamProcessors } from '../team-processors.ts';
import { isUnknownOutcome } from '../errors.ts';
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
   * Sends a leased operation, or finds what it did before, and commits the outcome. This is the only code that does, for
   * requests and for the reconciler.
   * @throws Problem `processor_error` after a refusal, with the reservation undone, and after a failure of the processor;
   * `unavailable` when it does not respond. Unless the operation is canceled, it is finished later
   */
  async function carryOut<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    leased: LeasedOperation,
  ): Promise<Result> {
    try {
      const processor = await processors.of(leased.teamId, leased.fence);
      const { operation, response } = await sendOrFind(kind, leased, processor);
      return await commitCurrent(kind, operation, response, processor);
    } catch (err) {
      const failure = err instanceof FailedStep ? err : new FailedStep('send', err);
      await handleFailure(kind, leased, failure);
      throw failure.shown;
    }
  }

  /** Nothing is sent, under this key again or under the next one, before what may have been done was searched for. */
  async function sendOrFind<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    leased: LeasedOperation,
    processor: Processor,
  ): Promise<{ readonly operation: RemoteOperation<Input>; readonly response: Response }> {
    if (leased.isKeyClosed || leased.keyVersion > 1) {
      const operation = toOperation(kind, leased);
      const response = await during('search', kind.findExisting(processor, operation, em.fork()));
      if (response !== null) return { operation, response };
      // The caller was told that it failed, and may have repeated it under another operation key.
      if (leased.isKeyClosed && !kind.mustSucceed) throw new FailedStep('give-up', notDone());
    }
    const operation = await beginSending(kind, leased);
    try {
      return { operation, response: await kind.send(processor, operation, em.fork()) };
    } catch (err) {
      if (!isUnknownOutcome(err)) throw err;
      const response = await during('search', kind.findExisting(processor, operation, em.fork()), err);
      if (response === null) throw err;
      return { operation, response };
    }
  }

  /** Commits a response; one that an event has overtaken is read again first. */
  async function commitCurrent<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    operation: RemoteOperation<Input>,
    first: Response,
    processor: Processor,
  ): Promise<Result> {
    let response = first;
    for (let rereads = 0; ; rereads += 1) {
      const result = await during('commit', commit(kind, operation, response));
      if (result !== STALE) return result;
      if (rereads === MAX_REREADS) throw unavailable('The resource is changing too fast; try again.');
      if (!kind.reread) throw new Error(`${kind.name} has no reread.`);
      response = await kind.reread(processor, operation, em.fork());
    }
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
    const prepared = current.isSent ? undefined : kind.prepare?.(operation, em.fork());
    const input = prepared ? await during('prepare', prepared) : operation.input;
    if (!(await markSent(em.fork(), current, input))) throw takenOver();
    return { ...operation, input };
  }

  function commit<Input, Response, Result>(
    kind: OperationKind<Input, Response, Result>,
    operation: RemoteOperation<Input>,
    response: Response,
  ): Promise<Result | typeof STALE> {
    const work = outbox.transaction(async (tx, publish) => {
      if (!(await lockOpen(tx, operation.id)))
        throw unavailable('The change took so long that it was finished elsewhere; read the resource again.');
      // Deleted first: what the commit finds out may need another operation on the resource.
      await deleteOperation(tx, operation.id);
      const result = await kind.commit(tx, operation, response, publish);
      if (result === STALE) throw new StaleResponse();
      return result;
    });
    return work.catch((err: unknown) => {
      if (err instanceof StaleResponse) return STALE;
      throw err;
    });
  }

  /** If this fails too, the lease ends by itself and the operation is due again. */
  async function handleFailure(
    kind: OperationKind,
    leased: LeasedOperation,
    { step, error }: Pick<FailedStep, 'step' | 'error'>,
  ): Promise<void> {
    const reason = error instanceof Error ? error : new Error(String(error));
    const { id, attempts, keyVersion } = leased;
    const next = afterFailure(error, { step, attempt: attempts, mustSucceed: kind.mustSucceed ?? false });
    try {
      if (next === 'cancel') return await cancel(kind, leased, reason);
      const longest = kind.maxDelaySeconds ?? MAX_DELAY_SECONDS;
      const delay = Math.min(2 ** Math.min(attempts - 1, 30), longest) * (0.75 + Math.random() / 2);
      if (next === 'close-key') {
        logger.warn({ err: error, operationId: id, kind: kind.name, keyVersion }, 'idempotency key closed');
        const seconds = step === 'search' ? delay : quietSeconds;
        return await release(kind, leased, reason, tx => closeKey(tx, leased, seconds));
      }
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
    await inTransaction(em, async tx => {
      if (await change(tx)) await kind.onFailure?.(tx, toOperation(kind, leased), reason);
    });
  }

  async function cancel(kind: OperationKind, leased: LeasedOperation, reason: Error): Promise<void> {
    await outbox.transaction(async (tx, publish) => {
      if (await markCanceled(tx, leased)) await kind.cancel(tx, toOperation(kind, leased), reason, publish);
    });
  }

  /** Ends the use of a key that the processor is about to forget; the operation is searched for when its calls have ended. */
  async function giveUpKey(kind: OperationKind, leased: LeasedOperation): Promise<Problem> {
    const { id, resourceId, teamId } = leased;
    logger.error({ operationId: id, kind: kind.name, resourceId, teamId }, 'remote operation not confirmed for a day');
    const reason = notDone();
    await release(kind, leased, reason, tx => closeKey(tx, leased, quietSeconds));
    return reason;
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

/** Rolls back the end of an operation whose response is outdated. */
class StaleResponse extends Error {}

/** A failure, and the step in which it happened. The caller gets what is `shown`, which is an earlier error or this one. */
class FailedStep extends Error {
  readonly step: 'prepare' | 'send' | 'search' | 'commit' | 'give-up';
  readonly error: unknown;
  readonly shown: unknown;

  constructor(step: FailedStep['step'], error: unknown, shown = error) {
    super(`A remote operation failed in the step ${step}.`, { cause: error });
    this.step = step;
    this.error = error;
    this.shown = shown;
  }
}

async function during<Result>(step: FailedStep['step'], work: Promise<Result>, shown?: unknown): Promise<Result> {
  try {
    return await work;
  } catch (err) {
    throw new FailedStep(step, err, shown ?? err);
  }
}

const notDone = (): Problem => unavailable('The payment processor has not made this change; try again.');

const takenOver = (): Problem => unavailable('The change is continued elsewhere; read the resource again.');
