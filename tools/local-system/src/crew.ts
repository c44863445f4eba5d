import { openControlServer } from './control-server.ts';
import { beginLog, type Part } from './part.ts';
import { removePids, writePids } from './pids-file.ts';
import { supervise, type RestartDelay, type Supervised } from './supervise.ts';

/** What others may know of a part. */
export interface PartState {
  /** Absent while it is not running. */
  pid?: number | undefined;
  port: number;
  /** Without credentials. */
  url: string;
}

/** All parts of a running system. */
export interface Crew {
  /** Starts these parts side by side; they are stopped side by side, too, before those that were enlisted earlier. */
  enlist(parts: readonly Part[]): Promise<void>;
  describe(): Record<string, PartState>;
  /** @throws when there is no part of this name. */
  require(name: string): Supervised;
  /** Ends the launches under way; what runs already keeps running. */
  abandonLaunches(): void;
}

/** Opens the crew's file and door; `resources` closes them and stops every part, the last enlisted first. */
export async function assembleCrew(options: {
  dataDir: string;
  report: (line: string) => void;
  resources: AsyncDisposableStack;
  restartDelay: RestartDelay | undefined;
}): Promise<Crew> {
  const { dataDir, report, resources, restartDelay } = options;
  const members = new Map<string, Supervised>();
  const control = resources.adopt(await openControlServer(name => members.get(name)), it => it.close());
  resources.defer(async () => removePids(dataDir));

  const describe = () =>
    Object.fromEntries([...members].map(([name, { pid, part }]) => [name, { pid, port: part.port, url: part.url }]));
  const onChange = () => {
    const supervisor = { pid: process.pid, port: control.port, url: control.url, token: control.token };
    writePids(dataDir, { supervisor, parts: describe() });
  };
  const add = (part: Part) => {
    beginLog(part.logFile);
    const member = supervise(part, { onChange, report, restartDelay });
    members.set(part.name, member);
    return member;
  };

  return {
    describe,
    async enlist(parts) {
      const joined = parts.map(add);
      resources.defer(async () => {
        await Promise.all(joined.map(member => member.hold()));
      });
      await Promise.all(joined.map(member => startTimed(member, report)));
    },
    require(name) {
      const member = members.get(name);
      if (member === undefined)
        throw new Error(`There is no part ${name}; there are ${[...members.keys()].join(', ')}.`);
      return member;
    },
    abandonLaunches() {
      for (const member of members.values()) if (member.pid === undefined) void member.hold();
    },
  };
}

async function startTimed(member: Supervised, report: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  await member.start();
  report(`${member.part.name.padEnd(14)} ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
