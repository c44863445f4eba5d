import type { Account } from '../store/account.ts';

/** How a call to the API fails. */
export const FAULT_MODES = [
  '400',
  '401',
  '429',
  '500',
  '500-but-done',
  '502html',
  'slow',
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
  /** The affected account; null means every account. */
  account: string | null;
}

/** The injected faults. A call gets the oldest fault that matches. */
export class Faults {
  #active: Fault[] = [];

  add(fault: Fault): void {
    this.#active.push(fault);
  }

  /** Returns the fault for a call, if there is one, and decrements its remaining count. */
  take(account: Account, method: string, path: string): Fault | undefined {
    const fault = this.#active.find(
      candidate =>
        (candidate.account === null || candidate.account === account.id) &&
        (candidate.method === null || candidate.method === method) &&
        path.startsWith(candidate.path),
    );
    if (!fault) return undefined;
    const left = { ...fault, times: fault.times - 1 };
    this.#active = this.#active.flatMap(other => (other !== fault ? [other] : left.times > 0 ? [left] : []));
    return fault;
  }

  /** Returns the faults for this account, including those for every account. */
  list(account: Account): Fault[] {
    return this.#active.filter(fault => fault.account === null || fault.account === account.id);
  }

  clear(account: Account): void {
    this.#active = this.#active.filter(fault => fault.account !== null && fault.account !== account.id);
  }
}
