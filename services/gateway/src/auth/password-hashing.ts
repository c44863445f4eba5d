import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { unavailable } from '@billing/contracts/problem';
import { createSlots } from '#limits/slots.ts';

/** Hashes at a time: each takes 32 MiB and a processor for a tenth of a second. */
const CONCURRENT = 2;
/** Further ones that wait, for about a second. */
const MAX_WAITING = 20;

interface HashedPassword {
  readonly hash: string;
  readonly password: string;
}

/**
 * The password hash of better-auth, with few hashes at a time, whatever path of better-auth needs them.
 * @throws Problem 503 when too many wait
 */
export function passwordHashing({ maxWaiting = MAX_WAITING } = {}) {
  const slots = createSlots({ maxWaiting });

  async function inTurn<Result>(hash: () => Promise<Result>): Promise<Result> {
    const leave = await slots.enter('hash', CONCURRENT);
    if (!leave) throw unavailable('Too many passwords are being checked at the moment.', 5);
    try {
      return await hash();
    } finally {
      leave();
    }
  }

  return {
    hash: (password: string) => inTurn(() => hashPassword(password)),
    verify: ({ hash, password }: HashedPassword) => inTurn(() => verifyPassword({ hash, password })),
  };
}
