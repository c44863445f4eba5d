import { Problem } from '@billing/contracts/problem';

/** Who may register: anyone, whom an invitation waits for, or nobody. */
export const SIGN_UP_POLICIES = ['open', 'invited', 'off'] as const;
export type SignUpPolicy = (typeof SIGN_UP_POLICIES)[number];

/** Returns whether an invitation waits for an address. */
type IsInvited = (email: string) => Promise<boolean>;

/**
 * Returns a check of who registers. A refused address learns nothing: neither whether it is registered nor why it is refused.
 * @throws Problem 403 `sign_up_closed`
 */
export const requireMayRegister =
  (policy: SignUpPolicy, isInvited: IsInvited) =>
  async (email: string): Promise<void> => {
    if (policy === 'open' || (policy === 'invited' && (await isInvited(email)))) return;
    throw new Problem(
      'forbidden',
      'sign_up_closed',
      'Accounts are for people who are invited: ask an owner of your team, or the operator of this installation.',
    );
  };
