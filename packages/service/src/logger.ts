import { pino, type Logger } from 'pino';

/** Names of fields that are never logged, at any of the first three levels of an object. */
const SECRETS = ['authorization', 'cookie', 'secretKey', 'webhookSecret', 'secret', 'token', 'password'];

/** Creates the process's logger: JSON lines with the service's name, secrets redacted. */
export function createLogger(name: string, level: string): Logger {
  const paths = SECRETS.flatMap(secret => [secret, `*.${secret}`, `*.*.${secret}`]);
  return pino({ name, level, redact: { paths, censor: '[redacted]' } });
}
