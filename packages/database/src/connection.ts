import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import { isLoopback } from './loopback.ts';
import { StartError } from './start-error.ts';
import { readTlsFile } from './tls-file.ts';
import { urlParameters } from './url-parameters.ts';

/** What `pg` needs to connect. All of it comes from a URL: the driver's own `PG…` variables have no say in it. */
export interface PostgresConnection {
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl: false | ConnectionOptions;
  readonly sslnegotiation: 'postgres';
  /** Replaced by whoever has options of its own. */
  readonly options: string;
}

/** The parameters of a URL, by their names in libpq: https://www.postgresql.org/docs/current/libpq-ssl.html */
const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;
type Parameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** What is to be done about parameters that hosted databases have in their URLs. */
const ADVICE: Readonly<Record<string, string>> = {
  channel_binding: 'remove it; sslmode=verify-full protects from a server in between as well',
  target_session_attrs: 'remove it, and name one address that follows the primary',
  host: 'name the host before the path; a folder with a socket as %2Fvar%2Frun%2Fpostgresql',
  options: 'remove it, and set what it has for the role: alter role … set …',
  ssl: 'say sslmode=verify-full, or sslmode=require',
};

/** The certificates that Node trusts, of `sslrootcert`. */
const SYSTEM = 'system';

/**
 * Reads `postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/path`. `sslmode` means what it means to
 * libpq: `disable`, `require` (encrypted, whoever responds), `verify-ca`, `verify-full`; `allow` and `prefer` are refused. The host
 * may be the folder of a socket: `postgres://user@%2Fvar%2Frun%2Fpostgresql/database`.
 * @throws StartError when it is no such URL, or a parameter is not known, or would have no effect
 */
export function postgresConnection(url: string): PostgresConnection {
  const parsed = URL.parse(url);
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol) || parsed.host === '' || parsed.host.includes(','))
    throw new StartError(
      'The URL of PostgreSQL is not like postgres://user:password@host:5432/database. Name one host, which follows the primary; a folder with a socket as %2Fvar%2Frun%2Fpostgresql.',
    );
  const { port, username, password, pathname } = parsed;
  const host = hostOf(parsed);
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  return {
    host,
    port: Number(port) || 5_432,
    ...(user && { user }),
    ...(secret && { password: secret }),
    ...(database && { database }),
    ssl: tlsOf(host, parametersOf(parsed)),
    sslnegotiation: 'postgres',
    options: '-c client_encoding=UTF8',
  };
}

/**
 * Returns a warning about a server elsewhere that is used without TLS; undefined when there is nothing to warn about, or
 * `sslmode=disable` says that it is meant.
 */
export function unprotectedPostgres(url: string): string | undefined {
  const parsed = new URL(url);
  const { host } = parsed;
  if (isLoopback(host) || hostOf(parsed).startsWith('/') || parametersOf(parsed).sslmode !== undefined)
    return undefined;
  return `PostgreSQL at ${host} is used without TLS: add sslmode=verify-full to its URL, or sslmode=disable where the network is private`;
}

const hostOf = ({ hostname }: URL): string => decodeURIComponent(hostname).replaceAll(/^\[|\]$/g, '');

function parametersOf({ searchParams }: URL): Parameters {
  const known = Object.keys(ADVICE).find(name => searchParams.has(name));
  if (known !== undefined) throw refused(`the parameter ${known} is not used: ${ADVICE[known]}`);
  return urlParameters(searchParams, PARAMETERS, refused);
}

/** The oldest PostgreSQL whose `returning` knows a row as it was before. */
export const OLDEST_POSTGRES = 18;

/**
 * Checks that a server is new enough, by its `server_version_num`: 180002.
 * @throws StartError when it is older
 */
export function requirePostgresVersion(version: number, url: string): void {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_POSTGRES)
    throw new StartError(
      `PostgreSQL at ${new URL(url).host} has version ${major}. Install PostgreSQL ${OLDEST_POSTGRES} or newer.`,
    );
}

function tlsOf(host: string, { sslmode, sslrootcert, sslcert, sslkey }: Parameters): false | ConnectionOptions {
  if ((sslcert === undefined) !== (sslkey === undefined)) throw refused('sslcert and sslkey need each other');
  const files = [sslrootcert && 'sslrootcert', sslcert && 'sslcert and sslkey'].filter(Boolean);
  switch (sslmode) {
    case undefined:
    case 'disable':
      if (files.length > 0) throw refused(`${files.join(' and ')} would not be used: add sslmode=verify-full`);
      return false;
    case 'require':
    case 'verify-ca':
    case 'verify-full': {
      const own = { ...(sslcert && sslkey && clientCertificate(sslcert, sslkey)) };
      return { ...own, ...verificationOf(sslmode, host, sslrootcert) };
    }
    case 'allow':
    case 'prefer':
      throw refused(`sslmode=${sslmode} would go on without TLS. Say require, verify-ca, verify-full or disable`);
    default:
      throw refused(`sslmode=${sslmode} is unknown. Say require, verify-ca, verify-full or disable`);
  }
}

function verificationOf(
  sslmode: 'require' | 'verify-ca' | 'verify-full',
  host: string,
  sslrootcert: string | undefined,
): ConnectionOptions {
  if (sslmode === 'verify-full') {
    // By itself Node checks the certificate of an address for the name localhost.
    const isOfHost: ConnectionOptions['checkServerIdentity'] = (_name, certificate) =>
      checkServerIdentity(host, certificate);
    return { ...authoritiesOf(sslrootcert), checkServerIdentity: isOfHost };
  }
  if (sslrootcert === SYSTEM) throw refused('sslrootcert=system needs sslmode=verify-full');
  // libpq too takes `require` with an authority for `verify-ca`.
  if (sslrootcert !== undefined) return { ...authoritiesOf(sslrootcert), checkServerIdentity: () => undefined };
  if (sslmode === 'verify-ca') throw refused('sslmode=verify-ca needs sslrootcert');
  return { rejectUnauthorized: false };
}

const authoritiesOf = (sslrootcert = SYSTEM): ConnectionOptions =>
  sslrootcert === SYSTEM ? {} : { ca: readTlsFile('sslrootcert', sslrootcert) };

const clientCertificate = (sslcert: string, sslkey: string): ConnectionOptions => ({
  cert: readTlsFile('sslcert', sslcert),
  key: readTlsFile('sslkey', sslkey),
});

const refused = (reason: string): StartError => new StartError(`In the URL of PostgreSQL ${reason}.`);
