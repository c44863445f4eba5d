import { z } from 'zod';
import { ALL_PERMISSIONS } from '../api/permissions.ts';
import type { Account } from '../store/account.ts';
import { method } from './method.ts';

/** How a call to the API fails. */
const FAULT_MODES = [
  '400',
  '401',
  '429',
  '500',
  '500-but-done',
  '502html',
  'slow',
  'held',
  'dropped',
  'done-but-response-lost',
  'done-but-response-broken',
] as const;

type FaultMode = (typeof FAULT_MODES)[number];

/** An injected fault. */
export interface Fault {
  /** Only calls of this method; null means any. */
  method: string | null;
  /** Only paths that begin with this, for example `/v1/customers`. */
  path: string;
  mode: FaultMode;
  /** How many more calls it affects. */
  times: number;
  /** For `slow`: the delay before the call executes, in milliseconds. */
  delayMs: number;
  /** For `500` and `500-but-done`: whether the error is saved under the idempotency key, so that a retry returns it again. */
  kept: boolean;
  /** The `Stripe-Should-Retry` header of the response; null leaves it to the mode. */
  shouldRetry: boolean | null;
  account: string;
}

/** The injected faults. A call gets the oldest fault that matches. */
export class Faults {
  #active: Fault[] = [];
  readonly #held = new Map<string, (() => void)[]>();

  add(fault: Fault): void {
    this.#active.push(fault);
  }

  /** Returns the fault for a call, if there is one, and decrements its remaining count. */
  take(account: Account, verb: string, path: string): Fault | undefined {
    const fault = this.#active.find(
      candidate =>
        candidate.account === account.id &&
        (candidate.method === null || candidate.method === verb) &&
        path.startsWith(candidate.path),
    );
    if (!fault) return undefined;
    const left = { ...fault, times: fault.times - 1 };
    this.#active = this.#active.flatMap(other => (other !== fault ? [other] : left.times > 0 ? [left] : []));
    return fault;
  }

  /** Returns the faults for this account. */
  list(account: Account): Fault[] {
    return this.#active.filter(fault => fault.account === account.id);
  }

  /** Resolves when the faults of this account are cleared. */
  released({ id }: Account): Promise<void> {
    return new Promise(resolve => this.#held.set(id, [...(this.#held.get(id) ?? []), resolve]));
  }

  clear({ id }: Account): void {
    this.#active = this.#active.filter(fault => fault.account !== id);
    for (const release of this.#held.get(id) ?? []) release();
    this.#held.delete(id);
  }
}

const fault = z.strictObject({
  method: z.enum(['GET', 'POST', 'DELETE']).optional(),
  path: z.string().startsWith('/').default('/v1/'),
  mode: z.enum(FAULT_MODES),
  times: z.int().min(1).max(1_000_000).default(1),
  delayMs: z.int().min(0).max(600_000).default(1_000),
  kept: z.boolean().default(true),
  shouldRetry: z.boolean().nullable().default(null),
});

/** Which calls fail, and how. */
export type FaultRequest = z.input<typeof fault>;

/** Faults of calls, and keys that may not do everything. */
export const faultMethods = {
  /** Injects a fault into the next matching calls. */
  fail: method(z.tuple([fault]), ({ account, processor }, { method: of, ...given }) =>
    processor.faults.add({ ...given, method: of ?? null, account: account.id }),
  ),

  /** Returns the faults that are left. */
  faults: method(z.tuple([]), ({ account, processor }) => processor.faults.list(account)),

  /** Removes the faults; calls that are `held` go on. */
  clearFaults: method(z.tuple([]), ({ account, processor }) => processor.faults.clear(account)),

  /**
   * Makes a key (`rk_test_…`, or the account's own) a restricted key of this account. Calls that need a missing permission, for
   * example `rak_webhook_write`, return 403; a key that lacks to read may not write either.
   */
  restrictKey: method(
    z.tuple([z.string().regex(/^[rs]k_(test|live)_[A-Za-z0-9]{8,}$/), z.array(z.enum(ALL_PERMISSIONS))]),
    ({ account, processor }, key, missing) => processor.accounts.restrict(account, key, missing),
  ),
};
