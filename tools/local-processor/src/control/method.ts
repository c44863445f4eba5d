import type { z } from 'zod';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Processor } from '../processor.ts';
import type { Account } from '../store/account.ts';

/** A call to the control API, which acts on the account of its key. */
export interface Call {
  readonly processor: Processor;
  readonly account: Account;
  /** Changes the account by one unit of work. */
  readonly run: <Result>(work: (unit: UnitOfWork) => Result) => Result;
}

/** A method of the control API: the schema of its arguments, and what it does. Its result is sent as JSON. */
export interface Method<Arguments extends z.ZodType<readonly unknown[]>, Result> {
  readonly args: Arguments;
  readonly run: (call: Call, ...args: z.output<Arguments>) => Result;
}

/** Declares a method of the control API. */
export const method = <Arguments extends z.ZodType<readonly unknown[]>, Result>(
  args: Arguments,
  run: (call: Call, ...args: z.output<Arguments>) => Result,
): Method<Arguments, Result> => ({ args, run });
