import { lastLines } from '@billing/embedded-servers/server-process';
import type { ServerProcess } from '@billing/embedded-servers/server-process';
import { lastErrors } from './log-errors.ts';
import type { Part } from './part.ts';

/** A part under supervision. */
export interface SupervisedPart {
  readonly part: Part;
  /** Undefined while the part is not running. */
  readonly pid: number | undefined;
  /** Starts the part for the first time; a failure is thrown with the last lines of its log. */
  start(): Promise<void>;
  /** Stops the part until {@link resume}; resolves when its process has exited. */
  stop(): Promise<void>;
  /** Starts the part after {@link stop}; resolves when it is ready. */
  resume(): Promise<void>;
}

export interface SuperviseOptions {
  /** Called when the process starts or exits. */
  onChange: () => void;
  report: (line: string) => void;
  restartDelay?: RestartDelay | undefined;
}

/** The delay before a restart, in milliseconds. It doubles with each restart, from `first` up to `longest`. */
export interface RestartDelay {
  first: number;
  longest: number;
}

/** The uptime after which the restart delay is reset. */
const HEALTHY_AFTER_MS = 30_000;

/** Keeps a part running: when its process exits unexpectedly, it is restarted with exponential back-off. */
export function supervise(part: Part, options: SuperviseOptions): SupervisedPart {
  const { onChange, report, restartDelay = { first: 100, longest: 10_000 } } = options;
  let running: ServerProcess | undefined;
  let controller = new AbortController();
  let delayMs = restartDelay.first;
  /** The launch or restart in progress; stopping waits for its end. */
  let work: Promise<void> = Promise.resolve();
  let stopping: Promise<void> = Promise.resolve();

  async function launch(signal: AbortSignal, until: 'ready' | 'live'): Promise<void> {
    const server = await part.launch(signal, until);
    running = server;
    onChange();
    void watch(server, signal);
  }

  async function watch(server: ServerProcess, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const reason = await server.exited;
    running = undefined;
    onChange();
    if (signal.aborted) return;
    if (performance.now() - startedAt > HEALTHY_AFTER_MS) delayMs = restartDelay.first;
    work = restart(signal);
    report(`${part.name} ended with ${reason}; restarting it`);
    for (const line of lastErrors(await lastLines(part.logFile, 50), 5)) report(`    ${line}`);
  }

  async function restart(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(delayMs, signal);
      delayMs = Math.min(delayMs * 2, restartDelay.longest);
      if (signal.aborted) return;
      try {
        // Readiness may depend on another part that is down, so a restart only waits until the part is live.
        await launch(signal, 'live');
        return report(`${part.name} is running again`);
      } catch (error) {
        if (!signal.aborted) report(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async function start(): Promise<void> {
    const { signal } = controller;
    const launched = launch(signal, 'ready');
    work = launched.catch(() => {});
    await launched;
  }

  return {
    part,
    get pid() {
      return running?.pid;
    },
    start,
    stop() {
      controller.abort(new Error(`${part.name} is being stopped.`));
      stopping = work.then(() => running?.stop());
      return stopping;
    },
    async resume() {
      if (!controller.signal.aborted) return;
      await stopping;
      controller = new AbortController();
      delayMs = restartDelay.first;
      try {
        await start();
      } catch (error) {
        work = restart(controller.signal);
        throw error;
      }
    },
  };
}

/** Waits for `ms` milliseconds or until `signal` is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
