import { join } from 'node:path';
import { findParentNpm, isAlive } from '@billing/embedded-servers/process-table';
import { forgetPostgresVariables } from './inherited-environment.ts';
import { startLocalSystem } from './local-system.ts';
import { readSettings, type Settings } from './settings.ts';
import { runStartDemo } from './start-demo.ts';
import { renderStartSummary } from './start-summary.ts';

const ROOT = join(import.meta.dirname, '../../..');

// A closed output pipe (`npm start | head`) must not stop the system.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
const print = (line: string) => console.log(line);

const stopping = stopSignal();
try {
  const settings = readSettings(process.env, process.argv.slice(2), ROOT);
  forgetPostgresVariables(process.env);
  await run(settings, stopping);
} catch (error) {
  if (!stopping.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Runs the system until `signal` is aborted. */
async function run(settings: Settings, signal: AbortSignal): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => stop(undefined));
  await using system = await startLocalSystem({
    ...settings,
    report: print,
    signal,
  });
  const demo = settings.demo ? await Promise.race([runStartDemo(system, settings, print), stopped]) : undefined;
  signal.throwIfAborted();
  print(
    renderStartSummary({
      gatewayUrl: settings.publicUrl ?? system.gatewayUrl,
      processorUrl: system.processorUrl,
      demo,
      elapsedMs: performance.now(),
      memory: system.measureMemory(),
      logFolder: join(settings.dataDir, 'logs'),
    }),
  );
  await stopped;
}

/**
 * Returns a signal that is aborted by Ctrl-C, SIGTERM, a closed terminal, or the exit of the npm that started this
 * process. A second Ctrl-C exits at once.
 */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const requestStop = () => {
    // The guard ends the parts when this process exits.
    if (controller.signal.aborted) process.exit(130);
    print('\nStopping…');
    controller.abort(new Error('The system was asked to stop.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, requestStop);

  const npm = findParentNpm();
  if (npm === undefined) return controller.signal;
  const watch = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(watch);
    requestStop();
  }, 500);
  watch.unref();
  return controller.signal;
}
