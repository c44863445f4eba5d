import { pino, type Logger } from 'pino';

/** Secrets that must not reach a log, wherever an object that carries them is logged. */
const SECRETS = ['authorization', 'cookie', 'secretKey', 'webhookSecret', 'secret', 'token', 'password'];

/** The process's logger: JSON lines with the service's name, secrets blacked out. */
export function createLogger(name: string, level: string): Logger {
  const paths = SECRETS.flatMap(secret => [secret, `*.${secret}`, `*.*.${secret}`]);
  return pino({ name, level, redact: { paths, censor: '[redacted]' } });
}
