import type { CustomerId } from '@billing/contracts/ids';
import type { CREDIT_SIDES, ReferralConfig } from '@billing/contracts/resources/referral';

export type CreditSide = (typeof CREDIT_SIDES)[number];

/** The credit that one side has earned, in the smallest unit of `currency`. */
export interface EarnedCredit {
  readonly side: CreditSide;
  readonly customerId: CustomerId;
  readonly amount: number;
  readonly currency: string;
}

interface Parties {
  readonly referrerCustomerId: CustomerId;
  readonly refereeCustomerId: CustomerId;
}

/** Returns the credits of a conversion under the current program; a side whose amount is zero gets none. */
export function earnedCredits(
  parties: Parties,
  program: Omit<ReferralConfig, 'projectId' | 'enabled'>,
): EarnedCredit[] {
  const { currency, referrerCreditAmount, refereeCreditAmount } = program;
  const credits: EarnedCredit[] = [
    { side: 'referrer', customerId: parties.referrerCustomerId, amount: referrerCreditAmount, currency },
    { side: 'referee', customerId: parties.refereeCustomerId, amount: refereeCreditAmount, currency },
  ];
  return credits.filter(({ amount }) => amount > 0);
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15 * 60_000;

/** Returns the delay after the nth failed attempt, in milliseconds: doubling, up to 15 minutes. */
export const retryDelayMs = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1), LONGEST_RETRY_MS);

/**
 * The processor stores an idempotency key for at least a day; a repeat after that could credit twice.
 * https://docs.stripe.com/api/idempotent_requests
 */
const REPEATABLE_MS = 23 * 3_600_000;

/** How long after closing a key its last call is looked up, in milliseconds. No call takes longer. */
export const VERIFY_AFTER_MS = 5 * 60_000;

/**
 * The next step for a pending credit:
 * - `send`: nothing was sent with its key yet, or the processor still recognizes a repeat
 * - `close`: the key is too old for a repeat; nothing more is sent with it
 * - `verify`: the key is closed; the processor's list shows whether the credit was created
 */
export type NextStep = 'send' | 'close' | 'verify';

/** Returns the next step, from when the credit was first sent with its key and when the key was closed. */
export function nextStep(key: { readonly sentAt: Date | null; readonly closedAt: Date | null }, now: Date): NextStep {
  if (key.closedAt) return 'verify';
  return key.sentAt && now.getTime() - key.sentAt.getTime() >= REPEATABLE_MS ? 'close' : 'send';
}
