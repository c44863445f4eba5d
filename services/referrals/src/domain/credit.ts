import type { CustomerId } from '@billing/contracts/ids';
import type { CREDIT_SIDES, ReferralConfig } from '@billing/contracts/resources/referral';

export type CreditSide = (typeof CREDIT_SIDES)[number];

/** What one side has earned, in the smallest unit of `currency`. */
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

/** What a conversion earns by the program as it stands; a side whose amount is zero earns nothing. */
export function creditsEarned(
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

/** How long to wait after the nth failed attempt, in milliseconds: doubling, up to a quarter of an hour. */
export const retryDelayMs = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1), LONGEST_RETRY_MS);

/**
 * The processor forgets an idempotency key after a day at the earliest; a repeat after that could credit twice.
 * https://docs.stripe.com/api/idempotent_requests
 */
const REPEATABLE_MS = 23 * 3_600_000;

/** After a key was closed, so long nobody looks what became of its last call, in milliseconds: no call takes longer. */
export const QUIET_MS = 5 * 60_000;

/**
 * What to do next about a pending credit:
 * - `send`: nothing was sent under its key, or a repeat under the same key is still the same credit
 * - `close`: the key is too old for a repeat; nothing more is sent under it
 * - `look`: the key is closed; the processor's list says whether the credit was made
 */
export type NextStep = 'send' | 'close' | 'look';

/** Decides the next step by when the credit was first sent under its key and when the key was closed. */
export function nextStep(key: { readonly sentAt: Date | null; readonly closedAt: Date | null }, now: Date): NextStep {
  if (key.closedAt) return 'look';
  return key.sentAt && now.getTime() - key.sentAt.getTime() >= REPEATABLE_MS ? 'close' : 'send';
}
