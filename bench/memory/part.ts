import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Part, PartOptions, Result } from '../part.ts';
import { median } from '../statistics.ts';
import { startInOwnProcess, type Started } from './start-in-own-process.ts';

const MEGABYTE = 1024 ** 2;
const MEMORY_GOAL_MB = 900;
const READY_GOAL_SECONDS = 6;

interface Round {
  /** The start in a new data folder, which creates the databases, and the next start in the same folder. */
  readonly first: Started;
  readonly second: Started;
}

/**
 * Starts the whole system as `npm start -- --no-demo` does: PostgreSQL, NATS, the local processor, all services and the
 * gateway.
 */
export const memory: Part = {
  name: 'memory',
  async measure({ rounds }: PartOptions) {
    const measured: Round[] = [];
    for (let number = 1; number <= rounds; number += 1) {
      const round = await measureRound();
      console.log(`round ${number}: new folder ${describe(round.first)}; same folder ${describe(round.second)}`);
      measured.push(round);
    }
    return toResults(measured);
  },
};

async function measureRound(): Promise<Round> {
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-bench-'));
  try {
    return { first: await startInOwnProcess(dataDir), second: await startInOwnProcess(dataDir) };
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function toResults(rounds: readonly Round[]): Result[] {
  const processes = rounds[0]?.second.memory.processes ?? 0;
  const megabytes = median(rounds.flatMap(({ first, second }) => [first.memory.bytes, second.memory.bytes])) / MEGABYTE;
  const ready = (name: string, of: (round: Round) => Started): Result => {
    const seconds = median(rounds.map(round => of(round).seconds));
    return {
      what: `start to ready, ${name} data folder`,
      billing: `${seconds.toFixed(1)} s`,
      against: '-',
      goal: `at most ${READY_GOAL_SECONDS} s`,
      isReached: seconds <= READY_GOAL_SECONDS,
    };
  };
  return [
    {
      what: 'memory after the start (PSS)',
      billing: `${megabytes.toFixed(0)} MB in ${processes} processes`,
      against: '-',
      goal: `at most ${MEMORY_GOAL_MB} MB`,
      isReached: megabytes <= MEMORY_GOAL_MB,
    },
    ready('new', it => it.first),
    ready('existing', it => it.second),
  ];
}

const describe = ({ seconds, memory: { bytes } }: Started): string =>
  `${seconds.toFixed(1)} s, ${(bytes / MEGABYTE).toFixed(0)} MB`;
