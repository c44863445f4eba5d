import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { unavailable } from '@billing/contracts/problem';
import { semaphore } from '@billing/messaging/semaphore';

/** Hashes at a time: each takes 32 MiB and a processor for a tenth of a second. */
const CONCURRENT = 2;
/** Further ones that wait, for about a second. */
const MAX_WAITING = 20;

interface HashedPassword {
  readonly hash: string;
  readonly password: string;
}

/** How passwords are kept. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(stored: HashedPassword): Promise<boolean>;
}

/**
 * The password hash of better-auth, with few hashes at a time, whatever path of better-auth needs them.
 * @throws Problem 503 when too many wait
 */
export function passwordHashing({ maxWaiting = MAX_WAITING } = {}): PasswordHashing {
  const refusal = () => unavailable('Too many passwords are being checked at the moment.', 5);
  const inTurn = semaphore(CONCURRENT, { maxWaiting, refusal });
  return {
    hash: (password: string) => inTurn(() => hashPassword(password)),
    verify: ({ hash, password }: HashedPassword) => inTurn(() => verifyPassword({ hash, password })),
  };
}
