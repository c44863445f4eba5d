import type { EntityManager } from '@mikro-orm/postgresql';
import { unauthorized, unavailable } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { expiryAfterUse, MAX_FAILED_CHECKS } from '#domain/session-life.ts';

/** A valid session. */
export interface Session {
  readonly userId: string;
  /** When the password was last checked in this session; null: never. */
  readonly passwordCheckedAt: Date | null;
}

/** What a check of a password or a code has found; `none`: nothing was checked. */
export type CheckOutcome = 'right' | 'wrong' | 'none';

/** The sessions that better-auth opens, on the connections of the gateway's own tables. */
export interface Sessions {
  /** Returns the session of a token, and records its use; undefined without a valid one. */
  find(token: string): Promise<Session | undefined>;
  /**
   * Counts a check of a password or a code in the session as wrong, so that parallel guesses count as well. Call the
   * returned function with what became of it; it returns whether the session has ended, by ten wrong ones in a row.
   * @throws Problem 401 without a valid session
   */
  takeCheck(token: string): Promise<(outcome: CheckOutcome) => Promise<boolean>>;
  /** Records that the password was checked in the session. */
  recordPasswordCheck(token: string, at: Date): Promise<void>;
}

interface Row {
  readonly userId: string;
  readonly passwordCheckedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

const milliseconds = (column: string) => `round(date_part('epoch', "${column}") * 1000) as "${column}"`;
const FIND = `select "userId", ${['passwordCheckedAt', 'createdAt', 'updatedAt', 'expiresAt'].map(milliseconds).join(', ')}
                from auth.session where token = $1 and "expiresAt" > now()`;
const EXTEND = 'update auth.session set "updatedAt" = $2, "expiresAt" = $3 where token = $1';
const TAKE = `update auth.session set "failedChecks" = coalesce("failedChecks", 0) + 1
               where token = $1 and "expiresAt" > now() returning "failedChecks"`;
const FORGIVE = 'update auth.session set "failedChecks" = greatest("failedChecks" - 1, 0) where token = $1';
const FORGIVE_ALL = 'update auth.session set "failedChecks" = 0 where token = $1';
const END = 'delete from auth.session where token = $1';
const RECORD_CHECK = 'update auth.session set "passwordCheckedAt" = $2 where token = $1';

/** Reads and ends the sessions of better-auth, whose tables are in the schema `auth`. */
export function openSessions(em: EntityManager): Sessions {
  /** @throws Problem 503 when the database does not respond */
  const query = async <Result>(sql: string, values: readonly unknown[]) => {
    try {
      return await executeBound<Result>(em.fork(), sql, values);
    } catch (cause) {
      throw unavailable('Sessions cannot be checked at the moment.', 2, { cause });
    }
  };

  return {
    async find(token) {
      const [row] = await query<Row>(FIND, [token]);
      if (!row) return undefined;
      const { userId, passwordCheckedAt } = row;
      const times = {
        createdAt: new Date(row.createdAt),
        updatedAt: new Date(row.updatedAt),
        expiresAt: new Date(row.expiresAt),
      };
      const now = new Date();
      const expiresAt = expiryAfterUse(times, now);
      if (expiresAt) await query(EXTEND, [token, now, expiresAt]);
      return { userId, passwordCheckedAt: passwordCheckedAt === null ? null : new Date(passwordCheckedAt) };
    },
    async takeCheck(token) {
      const [row] = await query<{ failedChecks: number }>(TAKE, [token]);
      const count = row?.failedChecks ?? Infinity;
      if (count > MAX_FAILED_CHECKS) {
        await query(END, [token]);
        throw unauthorized();
      }
      return async outcome => {
        const hasEnded = outcome === 'wrong' && count === MAX_FAILED_CHECKS;
        if (hasEnded) await query(END, [token]);
        else if (outcome !== 'wrong') await query(outcome === 'right' ? FORGIVE_ALL : FORGIVE, [token]);
        return hasEnded;
      };
    },
    async recordPasswordCheck(token, at) {
      await query(RECORD_CHECK, [token, at]);
    },
  };
}
