import { randomBytes } from 'node:crypto';
import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { postgresConnection } from '@billing/database/connection';
import { MAX_AGE_SECONDS } from '@billing/database/database';
import { checkSession, SESSION_LIMITS, WITHOUT_LIMITS } from '@billing/database/session-settings';
import { secretLink, type LinkPage } from '#domain/secret-link.ts';
import type { Mailer } from './mailer.ts';
import { accountMails } from './account-mails.ts';
import { passwordHashing, type PasswordHashing } from './password-hashing.ts';
import { signInOptions, type SendLink } from './sign-in-options.ts';

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
  /** Returns the id of the user of a sign-in whose second factor is due. */
  findUserOfSecondStep(secondStep: string): Promise<string | undefined>;
  /** Returns the id of the user of a link's token. */
  findUserOfLink(kind: LinkKind, token: string): Promise<string | undefined>;
  /**
   * Confirms a user's address, by the token that was sent to it, if the password is right: someone else may have signed up with
   * the address, and must not get in because its owner follows the link.
   */
  confirmAddress(userId: string, { token, password }: { token: string; password: string }): Promise<boolean>;
  /** Returns a link by which the user with this address can choose a new password within an hour; undefined without one. */
  createResetLink(email: string): Promise<string | undefined>;
  readonly users: Users;
  /** Rejects when the database is not reachable. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** What a secret link of an account is for. */
type LinkKind = Exclude<LinkPage, 'accept-invitation'>;

interface SignInOptions {
  /** Connects as the gateway's role; the tables are in its schema `auth`. */
  readonly databaseUrl: string;
  readonly publicUrl: string;
  /** Signs the session cookies; at least 32 characters. */
  readonly secret: string;
  /** Sends links to confirm addresses and reset passwords; without it, only an operator can make the latter. */
  readonly mailer?: Mailer | undefined;
  /** That of {@link passwordHashing}, unless given. */
  readonly passwords?: PasswordHashing | undefined;
  readonly logger: Logger;
}

const LINK_LIFETIME_MS = 3_600_000;
const MAX_CONNECTIONS = 5;
/** What a session asks for often; it has connections of its own, so that sign-in never waits for it. */
const OF_SESSIONS = /^\/api\/auth\/(?:get-session|list-sessions|revoke-|sign-out)/;

/** Opens sign-in and migrates its tables. */
export async function openSignIn({
  databaseUrl,
  publicUrl,
  secret,
  mailer,
  passwords = passwordHashing(),
  logger,
}: SignInOptions): Promise<SignIn> {
  const openPool = () => {
    const pool = new Pool({
      ...postgresConnection(databaseUrl),
      options: '-c search_path=auth',
      application_name: 'billing-gateway-sign-in',
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: 3_000,
      maxLifetimeSeconds: MAX_AGE_SECONDS,
      ...SESSION_LIMITS,
      keepAlive: true,
    });
    // The pool replaces an idle connection that breaks; without a listener the error would end the process.
    pool.on('error', err => logger.warn({ err }, 'lost an idle connection of sign-in'));
    return pool;
  };
  const [pool, sessionPool] = [openPool(), openPool()];
  const linkWith = (kind: LinkKind, token: string) => secretLink(publicUrl, kind, token);
  const mails = mailer && accountMails(mailer);
  const sendLink: SendLink | undefined = mails && {
    resetPassword: async ({ email }, token) => mails.resetPassword(email, linkWith('reset-password', token)),
    confirmAddress: async ({ id, email }) => mails.confirmAddress(email, await createLink('verify-email', id)),
    accountExists: async ({ id, email }) => mails.accountExists(email, await createLink('reset-password', id)),
  };
  const optionsWith = (of: Pool) => signInOptions({ pool: of, publicUrl, secret, sendLink, passwords, logger });
  const options = optionsWith(pool);
  try {
    await checkSession(pool, 'auth');
    await migrateSignIn(pool, options);
  } catch (err) {
    await Promise.all([pool.end(), sessionPool.end()]);
    throw err;
  }
  acceptEveryAddress();
  const auth = betterAuth(options);
  const { internalAdapter, adapter } = await auth.$context;
  const ofSessions = betterAuth(optionsWith(sessionPool));

  async function createLink(kind: LinkKind, userId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await internalAdapter.createVerificationValue({
      value: userId,
      identifier: `${kind}:${token}`,
      expiresAt: new Date(Date.now() + LINK_LIFETIME_MS),
    });
    return linkWith(kind, token);
  }

  async function findVerified(identifier: string): Promise<string | undefined> {
    const found = await internalAdapter.findVerificationValue(identifier);
    return found && found.expiresAt > new Date() ? found.value : undefined;
  }

  return {
    handle: request => (OF_SESSIONS.test(new URL(request.url).pathname) ? ofSessions : auth).handler(request),
    findUserOfSecondStep: findVerified,
    findUserOfLink: (kind, token) => findVerified(`${kind}:${token}`),
    async confirmAddress(userId, { token, password }) {
      const account = await internalAdapter.findCredentialAccount(userId);
      const hash = account?.password;
      if (!hash || !(await options.emailAndPassword.password.verify({ hash, password }))) return false;
      if (!(await internalAdapter.consumeVerificationValue(`verify-email:${token}`))) return false;
      await internalAdapter.updateUser(userId, { emailVerified: true });
      return true;
    },
    async createResetLink(email) {
      const found = await internalAdapter.findUserByEmail(email);
      return found ? createLink('reset-password', found.user.id) : undefined;
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
    // A transaction's lock, for a pooler keeps no other on one connection.
    await connection.query('begin');
    await connection.query(WITHOUT_LIMITS);
    await connection.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    await connection.query('commit');
    connection.release();
  } catch (err) {
    // Closing the connection releases the lock.
    connection.release(true);
    throw err;
  }
}
