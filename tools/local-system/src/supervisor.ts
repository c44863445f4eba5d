import { openControlServer } from './control-server.ts';
import { beginLog, type Part } from './part.ts';
import { openPidsWriter } from './pids-file.ts';
import { supervise, type RestartDelay, type SupervisedPart } from './supervised-part.ts';

/** The state of a part as `pids.json` shows it. */
export interface PartState {
  /** Absent while the part is not running. */
  pid?: number | undefined;
  port: number;
  /** Without credentials. */
  url: string;
}

/** Keeps all parts of a system running. */
export interface Supervisor {
  /** Starts these parts concurrently. They also stop concurrently, before the parts that were started earlier. */
  start(parts: readonly Part[]): Promise<void>;
  describe(): Record<string, PartState>;
  /** @throws when there is no part of this name */
  find(name: string): SupervisedPart;
  /** Of the control server. */
  readonly controlPort: number;
  /** Aborts the launches in progress; parts that run keep running. */
  abortLaunches(): void;
}

/** Starts the supervisor with its control server; `resources` stops every part in reverse order and closes both. */
export async function openSupervisor(options: {
  dataDir: string;
  publicUrl: string;
  report: (line: string) => void;
  resources: AsyncDisposableStack;
  restartDelay: RestartDelay | undefined;
}): Promise<Supervisor> {
  const { dataDir, publicUrl, report, resources, restartDelay } = options;
  const supervised = new Map<string, SupervisedPart>();
  const control = resources.adopt(await openControlServer(name => supervised.get(name)), it => it.close());
  const pids = resources.adopt(openPidsWriter(dataDir, report), it => it.close());

  const describe = () =>
    Object.fromEntries([...supervised].map(([name, { pid, part }]) => [name, { pid, port: part.port, url: part.url }]));
  const onChange = () => {
    const supervisor = { pid: process.pid, port: control.port, url: control.url, token: control.token };
    pids.write({ supervisor, publicUrl, parts: describe() });
  };
  const add = (part: Part) => {
    beginLog(part.logFile);
    const added = supervise(part, { onChange, report, restartDelay });
    supervised.set(part.name, added);
    return added;
  };

  return {
    describe,
    controlPort: control.port,
    async start(parts) {
      const added = parts.map(add);
      resources.defer(async () => {
        await Promise.all(added.map(it => it.stop()));
      });
      await Promise.all(added.map(it => startTimed(it, report)));
    },
    find(name) {
      const found = supervised.get(name);
      if (found === undefined)
        throw new Error(`There is no part ${name}; there are ${[...supervised.keys()].join(', ')}.`);
      return found;
    },
    abortLaunches() {
      for (const it of supervised.values()) if (it.pid === undefined) void it.stop();
    },
  };
}

async function startTimed(supervised: SupervisedPart, report: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  await supervised.start();
  report(`${supervised.part.name.padEnd(14)} ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
