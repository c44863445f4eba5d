import type { Logger } from 'pino';
import type { z } from 'zod';
import { parseEnv } from './env.ts';
import { createLogger } from './logger.ts';
import { StartError } from './start-error.ts';
import { stopTelemetry } from './telemetry.ts';

/** How long a stop may take before the process leaves anyway, in milliseconds. */
const STOP_DEADLINE_MS = 15_000;

interface Start<Env> {
  readonly env: Env;
  readonly logger: Logger;
  /** Closes in reverse: first what takes work in, last what the work needs. */
  readonly resources: AsyncDisposableStack;
}

/**
 * Runs a service until SIGTERM or SIGINT. A failed start closes what it opened, says why in one line on stderr where
 * the operator can do something about it, and ends with exit code 1.
 */
export async function runService<Schema extends z.ZodType<{ LOG_LEVEL: string }>>(
  name: string,
  envSchema: Schema,
  start: (start: Start<z.output<Schema>>) => Promise<void>,
): Promise<void> {
  const resources = new AsyncDisposableStack();
  resources.defer(stopTelemetry);
  let logger: Logger | undefined;
  try {
    const env = parseEnv(envSchema);
    logger = createLogger(name, env.LOG_LEVEL);
    stopOnSignal(resources, logger);
    await start({ env, logger, resources });
    logger.info('service started');
  } catch (err) {
    if (err instanceof StartError) process.stderr.write(`${name}: ${err.message}\n`);
    else if (logger) logger.fatal({ err }, 'service did not start');
    else process.stderr.write(`${name}: ${String(err)}\n`);
    process.exitCode = 1;
    await leave(resources, logger);
  }
}

function stopOnSignal(resources: AsyncDisposableStack, logger: Logger): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'service stopping');
    void leave(resources, logger);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

async function leave(resources: AsyncDisposableStack, logger: Logger | undefined): Promise<void> {
  setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
  try {
    await resources.disposeAsync();
  } catch (err) {
    logger?.error({ err }, 'service did not close cleanly');
    process.exitCode = 1;
  }
  process.exit();
}
