import { hashedKey, type RateLimits } from '#auth/rate-limits.ts';
import type { CheckOutcome } from '#auth/sessions.ts';
import { requireWithin } from '#http/rate-limit-headers.ts';
import type { GatewayResponse } from '#http/request-context.ts';

type SignInLimits = Pick<
  RateLimits,
  'signIn' | 'signInFailures' | 'signInFailuresOfNewAddresses' | 'knownAddresses' | 'usedCodes'
>;

/** Limits sign-ups and sign-ins before any password is hashed. */
export interface SignInAdmission {
  /**
   * Counts a sign-up or sign-in of the request's address.
   * @throws Problem 429
   */
  takeAddress(response: GatewayResponse): Promise<void>;
  /**
   * Counts a sign-in of an account, or another check of its password or a code, as failed, so that parallel guesses count
   * as well. Call the returned function with what became of it.
   * @throws Problem 429
   */
  takeAccount(email: string, response: GatewayResponse): Promise<(outcome: CheckOutcome) => void>;
  /** Returns whether this code of an account's authenticator app is seen for the first time. */
  isFirstUse(email: string, code: string): Promise<boolean>;
}

/**
 * Nobody can lock an account's owner out: failures are counted for each pair of account and address, and those of all
 * addresses together only where the account has not signed in from lately.
 */
export function signInAdmission(rateLimits: SignInLimits): SignInAdmission {
  const { signIn, signInFailures, signInFailuresOfNewAddresses, knownAddresses, usedCodes } = rateLimits;
  const addressOf = ({ locals: { addressGroup } }: GatewayResponse) => addressGroup;

  return {
    async takeAddress(response) {
      requireWithin(response, await signIn.take(addressOf(response)));
    },
    async takeAccount(email, response) {
      const account = hashedKey(email);
      const pair = `${account}/${addressOf(response)}`;
      const ofPair = await signInFailures.take(pair);
      if (!ofPair.isAllowed) requireWithin(response, ofPair);
      const isKnown = (await knownAddresses.read(pair)) > 0;
      const ofAccount = isKnown ? undefined : await signInFailuresOfNewAddresses.take(account);
      if (ofAccount && !ofAccount.isAllowed) requireWithin(response, ofAccount);
      return outcome => {
        if (outcome === 'wrong') return;
        signInFailures.giveBack(pair, ofPair);
        if (ofAccount) signInFailuresOfNewAddresses.giveBack(account, ofAccount);
        if (outcome === 'right') void knownAddresses.add(pair, 1);
      };
    },
    isFirstUse: async (email, code) => (await usedCodes.add(hashedKey(`${email}/${code}`), 1)).total === 1,
  };
}
