import { pino, type Logger } from 'pino';
import { loggedError } from './logged-error.ts';

/** Names of fields that are never logged, at any of the first three levels of an object. */
const SECRETS = ['authorization', 'cookie', 'secretKey', 'webhookSecret', 'secret', 'token', 'password'];

/** Creates the process's logger: JSON lines with the service's name, secrets and rows of the database left out. */
export function createLogger(name: string, level: string): Logger {
  const paths = SECRETS.flatMap(secret => [secret, `*.${secret}`, `*.*.${secret}`]);
  return pino({ name, level, redact: { paths, censor: '[redacted]' }, serializers: { err: loggedError } });
}
