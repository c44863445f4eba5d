import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Processor } from '../port.ts';
import type { z } from 'zod';

/** A write as it is on record. */
export interface Write<Input = unknown> extends ProjectScope {
  readonly id: string;
  readonly resourceId: string;
  readonly input: Input;
  /** The same however often the write is sent. */
  readonly idempotencyKey: string;
}

/** What `commit` answers when the record has changed since the processor was asked: its answer may be outdated. */
export const OUTDATED = Symbol('outdated');

/** One kind of write to the processor: how it is sent, and how its outcome is kept here. */
export interface WriteKind<Input = unknown, Answer = unknown, Result = unknown> {
  /** `create-product` */
  readonly name: string;
  readonly input: z.ZodType<Input>;
  /** Asks the processor. It may run more than once and stands outside of any transaction. */
  send(processor: Processor, write: Write<Input>, em: EntityManager): Promise<Answer>;
  /** Keeps what the processor answered, in the transaction that also takes the write off the record. */
  commit(tx: EntityManager, write: Write<Input>, answer: Answer): Promise<Result | typeof OUTDATED>;
  /** Asks the processor how things stand now, after `commit` found the answer outdated. */
  lookAgain?(processor: Processor, write: Write<Input>, em: EntityManager): Promise<Answer>;
  /** Takes back what was reserved: the processor refused, and has done nothing. */
  cancel(tx: EntityManager, write: Write<Input>): Promise<void>;
}
