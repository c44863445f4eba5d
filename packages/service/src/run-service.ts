import { parseEnv } from './env.ts';
import { createLogger } from './logger.ts';
import { StartError } from '@billing/database/start-error';
import { stopTelemetry } from './telemetry.ts';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ChassisEnv, Parts, ServiceDefinition } from './definition.ts';
import { openService } from './open-service.ts';

/** How long closing may take before the process exits anyway, in milliseconds. */
const CLOSE_DEADLINE_MS = 15_000;

/**
 * Runs a service until SIGTERM or SIGINT. If it cannot start, it closes what it opened, prints the reason in one line on
 * stderr if the operator can do something about it, and exits with code 1.
 */
export async function runService<Schema extends z.ZodType<ChassisEnv>, P extends Parts>(
  definition: ServiceDefinition<Schema, P>,
): Promise<void> {
  const { name } = definition;
  const resources = new AsyncDisposableStack();
  resources.defer(stopTelemetry);
  let logger: Logger | undefined;
  try {
    const env = parseEnv(definition.env);
    logger = await createLogger(name, { level: env.LOG_LEVEL, format: env.LOG_FORMAT });
    closeOnSignal(resources, logger);
    const service = await openService(definition, { env, logger, resources });
    await service.start();
    // Loading left garbage behind that would stay until the heap is full. Only `--expose-gc` defines `gc`.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await service.listen();
    logger.info('service started');
  } catch (err) {
    if (err instanceof StartError) process.stderr.write(`${name}: ${err.message}\n`);
    else if (logger) logger.fatal({ err }, 'service not started');
    else process.stderr.write(`${name}: ${String(err)}\n`);
    process.exitCode = 1;
    await exit(resources, logger);
  }
}

function closeOnSignal(resources: AsyncDisposableStack, logger: Logger): void {
  let isClosing = false;
  const close = (signal: string) => {
    if (isClosing) return;
    isClosing = true;
    logger.info({ signal }, 'service stopping');
    void exit(resources, logger);
  };
  process.on('SIGTERM', close).on('SIGINT', close);
}

async function exit(resources: AsyncDisposableStack, logger: Logger | undefined): Promise<void> {
  setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
  try {
    await resources.disposeAsync();
  } catch (err) {
    logger?.error({ err }, 'service not closed cleanly');
    process.exitCode = 1;
  }
  process.exit();
}
