import { lastLines } from '@billing/embedded-servers/server-process';
import type { ServerProcess } from '@billing/embedded-servers/server-process';
import { lastWords } from './last-words.ts';
import type { Part } from './part.ts';

/** A part under supervision. */
export interface Supervised {
  readonly part: Part;
  /** Undefined while it is not running. */
  readonly pid: number | undefined;
  /** Starts it for the first time; a failure is thrown, with the last lines of its log. */
  start(): Promise<void>;
  /** Stops it and keeps it stopped until {@link resume}; fulfilled when the process is gone. */
  hold(): Promise<void>;
  /** Starts it after a hold; fulfilled when it is ready. */
  resume(): Promise<void>;
}

export interface SuperviseOptions {
  /** Called whenever the process changes. */
  onChange: () => void;
  report: (line: string) => void;
  restartDelay?: RestartDelay | undefined;
}

/** How long a restart waits, in milliseconds: the first one, and the longest it may grow to. */
export interface RestartDelay {
  first: number;
  longest: number;
}

/** After running this long a part counts as healthy, and its next restart is quick again. */
const HEALTHY_AFTER_MS = 30_000;

/**
 * Keeps a part running: when it ends without having been asked to, it is started again, the first time at once and
 * then after growing delays.
 */
export function supervise(part: Part, options: SuperviseOptions): Supervised {
  const { onChange, report, restartDelay = { first: 100, longest: 10_000 } } = options;
  let running: ServerProcess | undefined;
  let held = new AbortController();
  let delayMs = restartDelay.first;
  /** The work under way: a launch, or the wait for a restart. Holding waits for its end. */
  let work: Promise<void> = Promise.resolve();
  let holding: Promise<void> = Promise.resolve();

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
    report(`${part.name} ended with ${reason}; starting it again`);
    for (const line of lastWords(await lastLines(part.logFile, 50), 5)) report(`    ${line}`);
  }

  async function restart(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(delayMs, signal);
      delayMs = Math.min(delayMs * 2, restartDelay.longest);
      if (signal.aborted) return;
      try {
        // Being ready may take another part that is down; that is no reason to end this one.
        await launch(signal, 'live');
        return report(`${part.name} is back`);
      } catch (error) {
        if (!signal.aborted) report(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async function start(): Promise<void> {
    const { signal } = held;
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
    hold() {
      held.abort(new Error(`${part.name} is being stopped.`));
      holding = work.then(() => running?.stop());
      return holding;
    },
    async resume() {
      if (!held.signal.aborted) return;
      await holding;
      held = new AbortController();
      delayMs = restartDelay.first;
      try {
        await start();
      } catch (error) {
        work = restart(held.signal);
        throw error;
      }
    },
  };
}

/** Waits, but not beyond the end of `signal`. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
