import { randomBytes } from 'node:crypto';
import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { postgresConnection } from '@billing/database/connection';
import type { Mailer } from './mailer.ts';
import { signInOptions } from './sign-in-options.ts';

/** A person who signed up. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** The people who signed up. */
export interface Users {
  /** Returns the users with these ids, in any order; unknown ids are left out. */
  findAll(ids: readonly string[]): Promise<User[]>;
  /** Returns the user with this e-mail address. */
  findByEmail(email: string): Promise<User | undefined>;
}

/** Sign-up, sign-in and sessions by better-auth: https://better-auth.com/docs */
export interface SignIn {
  /** Handles a request to `/api/auth/*`; the caller has checked its origin. */
  handle(request: Request): Promise<Response>;
  /** Returns the id of the user of a sign-in whose second factor is due, or of a token to reset a password. */
  findUserOf(waiting: { readonly secondStep: string } | { readonly resetToken: string }): Promise<string | undefined>;
  /** Returns a link by which the user with this address can choose a new password within an hour; undefined without one. */
  createResetLink(email: string): Promise<string | undefined>;
  readonly users: Users;
  /** Rejects when the database is not reachable. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

interface SignInOptions {
  /** Connects as the gateway's role; the tables are in its schema `auth`. */
  readonly databaseUrl: string;
  readonly publicUrl: string;
  /** Signs the session cookies; at least 32 characters. */
  readonly secret: string;
  /** Sends links for password resets; without it, only an operator can make them. */
  readonly mailer?: Mailer | undefined;
  readonly logger: Logger;
}

const RESET_LIFETIME_MS = 3_600_000;
const MAX_CONNECTIONS = 5;
/** What a session asks for often; it has connections of its own, so that sign-in never waits for it. */
const OF_SESSIONS = /^\/api\/auth\/(?:get-session|list-sessions|revoke-|sign-out)/;

/** Opens sign-in and migrates its tables. */
export async function openSignIn({ databaseUrl, publicUrl, secret, mailer, logger }: SignInOptions): Promise<SignIn> {
  const openPool = () => {
    const pool = new Pool({
      ...postgresConnection(databaseUrl),
      options: '-c search_path=auth',
      application_name: 'billing-gateway-sign-in',
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: 3_000,
      statement_timeout: 10_000,
      keepAlive: true,
    });
    // The pool replaces an idle connection that breaks; without a listener the error would end the process.
    pool.on('error', err => logger.warn({ err }, 'lost an idle connection of sign-in'));
    return pool;
  };
  const [pool, sessionPool] = [openPool(), openPool()];
  const resetLink = (token: string) => `${publicUrl}/reset-password#${token}`;
  const sendResetToken =
    mailer &&
    ((to: string, token: string) =>
      mailer.send({
        to,
        subject: 'Choose a new password',
        text: `Choose a new password within an hour:\n\n${resetLink(token)}\n\nIf you did not ask for this, ignore it.\n`,
      }));
  const optionsWith = (of: Pool) => signInOptions({ pool: of, publicUrl, secret, sendResetToken, logger });
  const options = optionsWith(pool);
  try {
    await migrateSignIn(pool, options);
  } catch (err) {
    await Promise.all([pool.end(), sessionPool.end()]);
    throw err;
  }
  acceptEveryAddress();
  const auth = betterAuth(options);
  const { internalAdapter, adapter } = await auth.$context;
  const ofSessions = betterAuth(optionsWith(sessionPool));

  return {
    handle: request => (OF_SESSIONS.test(new URL(request.url).pathname) ? ofSessions : auth).handler(request),
    async findUserOf(waiting) {
      const identifier = 'secondStep' in waiting ? waiting.secondStep : `reset-password:${waiting.resetToken}`;
      const found = await internalAdapter.findVerificationValue(identifier);
      return found && found.expiresAt > new Date() ? found.value : undefined;
    },
    async createResetLink(email) {
      const found = await internalAdapter.findUserByEmail(email);
      if (!found) return undefined;
      const token = randomBytes(32).toString('base64url');
      await internalAdapter.createVerificationValue({
        value: found.user.id,
        identifier: `reset-password:${token}`,
        expiresAt: new Date(Date.now() + RESET_LIFETIME_MS),
      });
      return resetLink(token);
    },
    users: {
      async findAll(ids) {
        // The adapter takes no empty list.
        if (ids.length === 0) return [];
        const found = await adapter.findMany<User>({
          model: 'user',
          where: [{ field: 'id', operator: 'in', value: [...ids] }],
          limit: ids.length,
        });
        return found.map(toUser);
      },
      async findByEmail(email) {
        const found = await internalAdapter.findUserByEmail(email);
        return found ? toUser(found.user) : undefined;
      },
    },
    ping: () => pool.query('select 1'),
    close: async () => void (await Promise.all([pool.end(), sessionPool.end()])),
  };
}

const toUser = ({ id, email, name }: User): User => ({ id, email, name });

/**
 * Lets better-auth take every address that the routes take. It has no setting for its own check, which is zod's pattern of
 * an e-mail address; the routes have checked each address by the rule of this API before.
 */
const acceptEveryAddress = (): void => void z.regexes.email.compile('@');

/** The PostgreSQL advisory lock that keeps gateways that start at once from migrating at once. */
const MIGRATION_LOCK = 7_231_906;

/** Creates and extends the tables of better-auth. */
async function migrateSignIn(pool: Pool, options: BetterAuthOptions): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    await connection.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    connection.release();
  } catch (err) {
    // Closing the connection releases the lock.
    connection.release(true);
    throw err;
  }
}
