import type { Account } from '../store/account.ts';

/** How a call to the API goes wrong. */
export const FAULT_MODES = [
  '429',
  '500',
  '500-but-done',
  '502html',
  'slow',
  'dropped',
  'done-but-answer-lost',
] as const;

type FaultMode = (typeof FAULT_MODES)[number];

/** A fault that waits for the calls it spoils. */
export interface Fault {
  /** Only calls of this method; null means any. */
  method: string | null;
  /** Only paths that begin with this, for example `/v1/customers`. */
  path: string;
  mode: FaultMode;
  /** How many more calls it spoils. */
  times: number;
  /** For `slow`: how long a call waits before it is done. */
  delayMs: number;
  /** For `500` and `500-but-done`: true keeps the failure under the idempotency key, and a retry is answered with it again. */
  kept: boolean;
  /** The account whose calls are spoiled; null means every account. */
  account: string | null;
}

/** The faults that were asked for and have not been used up; the oldest that fits a call is used first. */
export class Faults {
  #waiting: Fault[] = [];

  add(fault: Fault): void {
    this.#waiting.push(fault);
  }

  /** The fault for this call, if there is one; it is used up by one. */
  take(account: Account, method: string, path: string): Fault | undefined {
    const fault = this.#waiting.find(
      candidate =>
        (candidate.account === null || candidate.account === account.id) &&
        (candidate.method === null || candidate.method === method) &&
        path.startsWith(candidate.path),
    );
    if (!fault) return undefined;
    const left = { ...fault, times: fault.times - 1 };
    this.#waiting = this.#waiting.flatMap(other => (other !== fault ? [other] : left.times > 0 ? [left] : []));
    return fault;
  }

  /** The faults that wait for this account, those for every account included. */
  list(account: Account): Fault[] {
    return this.#waiting.filter(fault => fault.account === null || fault.account === account.id);
  }

  clear(account: Account): void {
    this.#waiting = this.#waiting.filter(fault => fault.account !== null && fault.account !== account.id);
  }
}
