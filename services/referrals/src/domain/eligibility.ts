import type { CustomerId } from '@billing/contracts/ids';
import { conflict, unprocessable } from '@billing/contracts/problem';

interface OfferedCode {
  readonly isActive: boolean;
  /** The referrer. */
  readonly customerId: CustomerId;
  readonly isProgramEnabled: boolean;
}

/**
 * Checks that a customer may use a code.
 * @throws Problem 422 `referral_code_inactive`, 422 `referral_program_disabled`, 409 `referral_self`
 */
export function requireUsableCode(code: OfferedCode, refereeId: CustomerId): void {
  if (!code.isActive) throw unprocessable('referral_code_inactive', 'This referral code is no longer active.');
  if (!code.isProgramEnabled)
    throw unprocessable('referral_program_disabled', 'The referral program of this project is not enabled.');
  if (code.customerId === refereeId) throw conflict('referral_self', 'Customers cannot refer themselves.');
}

/**
 * Checks that a customer can still be referred.
 * @throws Problem 409 `referral_already_applied`, 409 `referral_already_subscribed`
 */
export function requireNewCustomer(referee: { readonly hasReferral: boolean; readonly hasSubscribed: boolean }): void {
  if (referee.hasReferral) throw alreadyApplied();
  if (referee.hasSubscribed)
    throw conflict(
      'referral_already_subscribed',
      'This customer has or had a subscription; only new customers can be referred.',
    );
}

/** 409: a customer can be referred only once. */
export const alreadyApplied = () =>
  conflict('referral_already_applied', 'A referral code was already applied to this customer.');
