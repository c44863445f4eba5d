import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { z } from 'zod';
import type { Processor } from '../port.ts';

/** One write to the processor, as the operation log has it. */
export interface RemoteOperation<Input = unknown> extends ProjectScope {
  /** The operation key. */
  readonly id: string;
  readonly resourceId: string;
  readonly input: Input;
  /** The same however often the operation is sent, until the log takes the next key version. */
  readonly idempotencyKey: string;
  readonly keyVersion: number;
  /** Counts from 1. */
  readonly attempt: number;
  readonly createdAt: Date;
}

/** What `commit` returns when the record has changed since the processor was read: its response may be outdated. */
export const STALE = Symbol('stale');

/**
 * One kind of write to the processor: how it is sent, and how its outcome is stored. `Input` is what the log stores of
 * the operation, `Response` what the processor returned, `Result` what the caller gets.
 *
 * `send`, `findExisting`, `reread` and `prepare` run outside of any transaction and may run more than once; `em` is a
 * fork of their own. `commit`, `cancel` and `onFailure` run in a transaction.
 */
export interface OperationKind<Input = unknown, Response = unknown, Result = unknown> {
  /** Part of the idempotency key, for example `create-product`. */
  readonly name: string;
  /** Parses what the log stored. */
  readonly input: z.ZodType<Input>;

  /**
   * Adds to the input what was not known when the operation was enqueued. Runs before the first sending under each key,
   * and what it returns is stored first: a repeat under the same key must send the same.
   * @throws Problem `not_found` when the operation can never be sent; it is canceled then. After any other error only what
   * must succeed is tried again
   */
  prepare?(operation: RemoteOperation<Input>, em: EntityManager): Promise<Input>;

  /**
   * Calls the processor with `operation.idempotencyKey`.
   * @throws Problem `conflict` when what it changes is no more as it was planned for; the operation is canceled then
   */
  send(processor: Processor, operation: RemoteOperation<Input>, em: EntityManager): Promise<Response>;

  /**
   * Finds what the operation did at the processor: the object that it created, or the changed object; null when it did
   * nothing. It is called when the processor has failed or refused the idempotency key, and once a key can no longer bring
   * the write about (docs/decisions/0010): what is found is committed, and nothing is sent anew before.
   */
  findExisting(processor: Processor, operation: RemoteOperation<Input>, em: EntityManager): Promise<Response | null>;

  /**
   * Stores what the processor returned, in the transaction that also deletes the operation from the log. Returns `STALE`
   * when the record changed since the processor was read; then `reread` is called and its response committed instead.
   */
  commit(
    tx: EntityManager,
    operation: RemoteOperation<Input>,
    response: Response,
    publish: Publish,
  ): Promise<Result | typeof STALE>;

  /** Reads the object as it is now, after `commit` returned `STALE`. */
  reread?(processor: Processor, operation: RemoteOperation<Input>, em: EntityManager): Promise<Response>;

  /** Undoes the reservation, or marks it as failed: the processor refused or failed, or the operation was given up. */
  cancel(tx: EntityManager, operation: RemoteOperation<Input>, error: Error, publish: Publish): Promise<void>;

  /** Notes a failure on the resource, in the transaction that schedules the next attempt. */
  onFailure?(tx: EntityManager, operation: RemoteOperation<Input>, error: Error): Promise<void>;

  /**
   * Whether it is sent until it succeeds or is refused, because nobody waits for it and would repeat it. Another operation
   * is canceled when the processor failed and the search found nothing, and after 23 hours.
   */
  readonly mustSucceed?: boolean;

  /** The longest pause between attempts, in seconds: 300 unless given. Pauses double from one second. */
  readonly maxDelaySeconds?: number;
}
