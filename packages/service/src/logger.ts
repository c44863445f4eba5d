import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedError } from './logged-error.ts';

/** Names of fields that are never logged, at any of the first three levels of an object. */
const SECRETS = ['authorization', 'cookie', 'secretKey', 'webhookSecret', 'secret', 'token', 'password'];

interface LoggerOptions {
  readonly level: string;
  /** `pretty` in a terminal and `json` elsewhere, unless given. */
  readonly format?: 'json' | 'pretty' | undefined;
}

/**
 * Creates the process's logger: lines with the service's name and, within a trace, its id; secrets and rows of the database
 * left out. They are JSON, or text for people.
 */
export async function createLogger(name: string, { level, format }: LoggerOptions): Promise<Logger> {
  const paths = SECRETS.flatMap(secret => [secret, `*.${secret}`, `*.*.${secret}`]);
  const options = {
    name,
    level,
    redact: { paths, censor: '[redacted]' },
    serializers: { err: loggedError },
    mixin: currentTraceFields,
  };
  const isPretty = (format ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty';
  return pino(options, isPretty ? await prettyStream() : jsonStream());
}

/** Of lines that wait for room, in bytes; later ones are dropped. */
const MAX_WAITING = 8_388_608;

/** Standard output. A log that can not be written, as on a full disk, does not end the process: its lines wait for room. */
function jsonStream(): DestinationStream {
  const stream = pino.destination({ dest: 1, maxLength: MAX_WAITING });
  const flush = stream.flushSync.bind(stream);
  let isFailing = false;
  stream.on('error', () => (isFailing = true));
  stream.on('write', () => (isFailing = false));
  // At the exit it would try without end.
  stream.flushSync = () => {
    if (!isFailing) flush();
  };
  return stream;
}

/** https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/ */
function currentTraceFields(): object {
  const context = trace.getActiveSpan()?.spanContext();
  return context ? { trace_id: context.traceId, span_id: context.spanId } : {};
}

/** Loaded only where it is used: services in production log JSON. */
async function prettyStream(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname,trace_id,span_id', translateTime: 'SYS:HH:MM:ss.l', sync: true });
}
