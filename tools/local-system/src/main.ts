import { join } from 'node:path';
import { runFirstDemo } from './first-demo.ts';
import { startLocalSystem } from './local-system.ts';
import { findParentNpm, isAlive } from './process-table.ts';
import { renderScreen } from './screen.ts';
import { readSettings, type Settings } from './settings.ts';

const ROOT = join(import.meta.dirname, '../../..');

// A reader that went away (`npm start | head`) must not take the system down.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
const say = (line: string) => console.log(line);

const stopping = stopRequest();
try {
  await run(readSettings(process.env, process.argv.slice(2), ROOT), stopping);
} catch (error) {
  if (!stopping.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Runs the system until it is asked to stop. */
async function run(settings: Settings, signal: AbortSignal): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => stop(undefined));
  await using system = await startLocalSystem({ ...settings, report: say, signal });
  const demo = settings.demo ? await Promise.race([runFirstDemo(system, settings, say), stopped]) : undefined;
  signal.throwIfAborted();
  say(
    renderScreen({
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

/** Aborted by Ctrl-C, SIGTERM, a closed terminal, or the end of the npm that started us. A second Ctrl-C leaves at once. */
function stopRequest(): AbortSignal {
  const controller = new AbortController();
  const request = () => {
    // The guard ends the parts when this process is gone.
    if (controller.signal.aborted) process.exit(130);
    say('\nStopping…');
    controller.abort(new Error('The system was asked to stop.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);

  const npm = findParentNpm();
  if (npm === undefined) return controller.signal;
  const watch = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(watch);
    request();
  }, 500);
  watch.unref();
  return controller.signal;
}
