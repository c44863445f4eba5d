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
