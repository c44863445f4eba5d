import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { unavailable } from '@billing/contracts/problem';
import type { User, Users } from './users.ts';

interface SignInOptions {
  /** The gateway's own role; sign-in's tables stand in its schema `auth`. */
  readonly databaseUrl: string;
  readonly publicUrl: string;
  /** Signs the session cookies; at least 32 characters. */
  readonly secret: string;
  readonly logger: Logger;
}

/** Sign-up, sign-in and sessions by better-auth: https://better-auth.com/docs */
export interface SignIn {
  /** The cookie that carries a session. */
  readonly cookieName: string;
  /** Answers a request to `/api/auth/*`, whose origin was judged before. */
  handle(request: Request): Promise<Response>;
  /** Who the session in a `Cookie` header belongs to; undefined when there is none or it is over. */
  userOf(cookie: string): Promise<string | undefined>;
  readonly users: Users;
  /** Rejects when the database does not answer. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** Serializes migrations of gateways that start at once. */
const MIGRATION_LOCK = 7_231_906;

/** Opens sign-in and brings its tables up to date. */
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
  // A connection that breaks while idle is replaced; without a listener it would end the process.
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
    // The gateway limits by itself, with the answer all its limits give.
    rateLimit: { enabled: false },
    // Otherwise it prints what it did not expect, and answers 500 whatever that was.
    onAPIError: { throw: true },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message) => logger[level === 'error' ? 'warn' : level](`sign-in: ${message}`),
    },
    advanced: {
      cookiePrefix,
      // Its own prefix would be __Secure-, which allows less than __Host-.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
      ipAddress: { disableIpTracking: true },
      // The tables are brought up to date below.
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
    cookieName: `${cookiePrefix}.session_token`,
    handle: request => auth.handler(request),
    async userOf(cookie) {
      try {
        const session = await auth.api.getSession({
          headers: new Headers({ cookie }),
          query: { disableRefresh: true },
        });
        return session?.user.id;
      } catch (err) {
        // A bad session answers null; what throws is the database.
        throw unavailable('Sessions cannot be looked up at the moment.', 2, { cause: err });
      }
    },
    users: {
      async findByEmail(email) {
        const found = await internalAdapter.findUserByEmail(email);
        return found ? pick(found.user) : undefined;
      },
      async findAll(ids) {
        const found = await adapter.findMany<User>({
          model: 'user',
          where: [{ field: 'id', operator: 'in', value: [...ids] }],
          limit: Math.max(ids.length, 1),
        });
        return found.map(pick);
      },
    },
    ping: () => pool.query('select 1'),
    close: () => pool.end(),
  };
}

const pick = ({ id, email, name }: User): User => ({ id, email, name });

async function migrate(pool: Pool, options: BetterAuthOptions): Promise<void> {
  const lock = await pool.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const { runMigrations } = await getMigrations(options);
    await runMigrations();
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    lock.release();
  } catch (err) {
    // Closing the connection gives the lock back.
    lock.release(true);
    throw err;
  }
}
