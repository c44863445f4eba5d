import { Problem } from '@billing/contracts/problem';

/** Who may register: anyone, who has the link of an invitation, or nobody. */
export const SIGN_UP_POLICIES = ['open', 'invited', 'off'] as const;
export type SignUpPolicy = (typeof SIGN_UP_POLICIES)[number];

/** Returns whether an open invitation of an address has this token. */
type IsInvited = (email: string, token: string) => Promise<boolean>;

/**
 * Returns a check of who registers. Without the link of an invitation, nobody learns anything about an address: neither whether
 * it is registered or invited, nor why it is refused.
 * @throws Problem 403 `sign_up_closed`
 */
export const requireMayRegister =
  (policy: SignUpPolicy, isInvited: IsInvited) =>
  async (email: string, token: string | undefined): Promise<void> => {
    if (policy === 'open') return;
    if (policy === 'invited' && token !== undefined && (await isInvited(email, token))) return;
    throw new Problem(
      'forbidden',
      'sign_up_closed',
      'Accounts are for people who are invited: open the link of your invitation, or ask an owner of your team or the operator for one.',
    );
  };
