import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { unavailable } from '@billing/contracts/problem';

/** A person who signed up. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** The people who signed up. */
export interface Users {
  /** Finds a user by e-mail address in lower case; undefined when there is none. */
  findByEmail(email: string): Promise<User | undefined>;
  /** Returns the users with these ids, in any order; unknown ids are left out. */
  findAll(ids: readonly string[]): Promise<User[]>;
}

/** Sign-up, sign-in and sessions by better-auth: https://better-auth.com/docs */
export interface SignIn {
  /** The name of the session cookie. */
  readonly sessionCookie: string;
  /** Handles a request to `/api/auth/*`; the caller has checked its origin. */
  handle(request: Request): Promise<Response>;
  /** Returns the id of the user whose session a `Cookie` header carries; undefined without a valid session. */
  findSessionUser(cookie: string): Promise<string | undefined>;
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
  readonly logger: Logger;
}

/** The PostgreSQL advisory lock that keeps gateways that start at once from migrating at once. */
const MIGRATION_LOCK = 7_231_906;

/** Opens sign-in and migrates its tables. */
export async function openSignIn({ databaseUrl, publicUrl, secret, logger }: SignInOptions): Promise<SignIn> {
  const pool = new Pool({
    connectionString: databaseUrl,
    options: '-c search_path=auth',
    application_name: 'billing-gateway-sign-in',
    max: 5,
    connectionTimeoutMillis: 3_000,
    statement_timeout: 10_000,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on('error', err => logger.warn({ err }, 'lost an idle connection of sign-in'));
  const secure = publicUrl.startsWith('https:');
  const cookiePrefix = secure ? '__Host-billing' : 'billing';
  const options = {
    appName: 'billing',
    baseURL: publicUrl,
    basePath: '/api/auth',
    secret,
    database: pool,
    trustedOrigins: [new URL(publicUrl).origin],
    emailAndPassword: { enabled: true },
    // The gateway has its own rate limits.
    rateLimit: { enabled: false },
    // Without this, better-auth prints unexpected errors and returns 500 for all of them.
    onAPIError: { throw: true },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message) => logger[level === 'error' ? 'warn' : level](`sign-in: ${message}`),
    },
    advanced: {
      cookiePrefix,
      // better-auth would use the prefix __Secure-, which is weaker than __Host-.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
      ipAddress: { disableIpTracking: true },
      // The tables are migrated below.
      database: { validateSchema: false },
    },
  } satisfies BetterAuthOptions;
  try {
    await migrate(pool, options);
  } catch (err) {
    await pool.end();
    throw err;
  }
  const auth = betterAuth(options);
  const { internalAdapter, adapter } = await auth.$context;

  return {
    sessionCookie: `${cookiePrefix}.session_token`,
    handle: request => auth.handler(request),
    async findSessionUser(cookie) {
      try {
        const session = await auth.api.getSession({
          headers: new Headers({ cookie }),
          query: { disableRefresh: true },
        });
        return session?.user.id;
      } catch (err) {
        // An invalid session returns null; only the database makes this throw.
        throw unavailable('Sessions cannot be checked at the moment.', 2, { cause: err });
      }
    },
    users: {
      async findByEmail(email) {
        const found = await internalAdapter.findUserByEmail(email);
        return found ? toUser(found.user) : undefined;
      },
      async findAll(ids) {
        const found = await adapter.findMany<User>({
          model: 'user',
          where: [{ field: 'id', operator: 'in', value: [...ids] }],
          limit: Math.max(ids.length, 1),
        });
        return found.map(toUser);
      },
    },
    ping: () => pool.query('select 1'),
    close: () => pool.end(),
  };
}

const toUser = ({ id, email, name }: User): User => ({ id, email, name });

async function migrate(pool: Pool, options: BetterAuthOptions): Promise<void> {
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
