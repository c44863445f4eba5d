import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from './env.ts';
import { freeMemory } from './free-memory.ts';
import { createLogger } from './logger.ts';
import { StartError } from '@billing/database/start-error';
import { startTelemetry, stopTelemetry } from './telemetry.ts';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ChassisEnv, Parts, ServiceDefinition } from './definition.ts';
import { openService } from './open-service.ts';

/** How long closing may take before the process exits anyway, in milliseconds from the signal on. */
const CLOSE_DEADLINE_MS = 10_000;

/**
 * Runs a service until SIGTERM or SIGINT. From then on it says that it closes, serves for `CLOSE_DELAY_SECONDS` more, and
 * exits within ten seconds, with the work in flight finished as far as that is possible. If it cannot start, it closes what it opened, prints the reason in one line on
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
    await startTelemetry(name);
    const env = parseEnv(definition.env);
    logger = await createLogger(name, { level: env.LOG_LEVEL, format: env.LOG_FORMAT });
    const isClosing = closeOnSignal(resources, logger, env.CLOSE_DELAY_SECONDS * 1_000);
    const service = await openService(definition, { env, logger, resources, isClosing });
    await service.start();
    freeMemory();
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

/** Returns whether a signal has come. */
function closeOnSignal(resources: AsyncDisposableStack, logger: Logger, delayMs: number): () => boolean {
  let isClosing = false;
  const close = (signal: string) => {
    if (isClosing) return;
    isClosing = true;
    logger.info({ signal }, 'service stopping');
    void exit(resources, logger, delayMs);
  };
  process.on('SIGTERM', close).on('SIGINT', close);
  return () => isClosing;
}

async function exit(resources: AsyncDisposableStack, logger: Logger | undefined, delayMs = 0): Promise<void> {
  setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
  try {
    if (delayMs > 0) await pause(delayMs);
    await resources.disposeAsync();
  } catch (err) {
    logger?.error({ err }, 'service not closed cleanly');
    process.exitCode = 1;
  }
  process.exit();
}
