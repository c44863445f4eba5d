import { join } from 'node:path';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { startServerProcess } from '@billing/embedded-servers/server-process';
import { afterAll, expect, it } from 'vitest';
import type { Part } from '../src/part.ts';
import { supervise } from '../src/supervised-part.ts';
import { temporaryDataDir, waitUntil } from './data-folder.ts';

const guard = startProcessGuard();
afterAll(() => guard.close());

/** A part whose process exits at once; `launches` are the times at which it was started. */
function shortLivedPart(logFile: string): { part: Part; launches: number[] } {
  const launches: number[] = [];
  const launch = () => {
    launches.push(performance.now());
    return startServerProcess({
      name: 'short-lived',
      command: '/bin/sh',
      args: ['-c', 'echo "database is away"; exit 3'],
      logFile,
      signals: { first: 'SIGTERM', later: 'SIGKILL' },
      stopTimeoutMs: 1_000,
      guard,
    });
  };
  return { part: { name: 'short-lived', port: 1, url: 'http://127.0.0.1:1', logFile, launch }, launches };
}

it('restarts a part with exponential back-off and shows why it exited', async () => {
  await using data = await temporaryDataDir();
  const { part, launches } = shortLivedPart(join(data.path, 'log'));
  const lines: string[] = [];
  const supervised = supervise(part, {
    onChange: () => {},
    report: line => lines.push(line),
    restartDelay: { first: 50, longest: 400 },
  });
  await supervised.start();
  await waitUntil(() => launches.length === 5);
  await supervised.stop();

  const pauses = launches.slice(1).map((time, index) => time - (launches[index] ?? 0));
  for (const [index, atLeast] of [50, 100, 200, 400].entries())
    expect(pauses[index]).toBeGreaterThanOrEqual(atLeast - 2);
  expect(lines).toContain('short-lived ended with exit code 3; restarting it');
  expect(lines).toContain('    database is away');
});

it('cancels a scheduled restart when the part is stopped', async () => {
  await using data = await temporaryDataDir();
  const { part, launches } = shortLivedPart(join(data.path, 'log'));
  const lines: string[] = [];
  const longerThanTheTest = 600_000;
  const supervised = supervise(part, {
    onChange: () => {},
    report: line => lines.push(line),
    restartDelay: { first: longerThanTheTest, longest: longerThanTheTest },
  });
  await supervised.start();
  await waitUntil(() => lines.includes('short-lived ended with exit code 3; restarting it'));
  await supervised.stop();
  expect(launches).toHaveLength(1);
  expect(supervised.pid).toBeUndefined();
});
