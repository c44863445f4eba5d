import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { startTestServers, type TestServers } from '@billing/testing/servers';

import { turboGroups } from './turbo-groups.ts';
import { build, startTests } from './turbo-run.ts';
import { formatTotals, sumReports } from './vitest-report.ts';
import { listWorkspaces, readRun } from './workspaces.ts';

const ROOT = join(import.meta.dirname, '../../..');

try {
  process.exitCode = await runAllTests(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** Runs every workspace's tests against one PostgreSQL and one NATS. Returns the exit code. */
async function runAllTests(turboArgs: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const workspaces = await listWorkspaces(ROOT, turboArgs);
  // Once, before the tests start systems side by side that would each build it.
  await build(ROOT);

  await using resources = new AsyncDisposableStack();
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interruption.abort(new Error(`The tests were interrupted by ${signal}.`)));

  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const servers = resources.adopt(await openTestServers(), it => it.stop());
  interruption.signal.throwIfAborted();

  // Killed tests can't remove their temporary files, so they get a temporary folder that is removed here.
  const temporary = await mkdtemp(join(tmpdir(), 'billing-tests-'));
  resources.defer(() => rm(temporary, { recursive: true, force: true, maxRetries: 5 }));
  const env = { TEST_DATABASE_URL: servers.databaseUrl, TEST_NATS_URL: servers.natsUrl, TMPDIR: temporary };
  const names = workspaces.map(workspace => workspace.name);
  const exitCodes = await Promise.all(
    turboGroups(names, turboArgs).map(group => {
      const tests = startTests(ROOT, group, { env, guard });
      interruption.signal.addEventListener('abort', tests.cancel);
      return tests.finished;
    }),
  );
  const exitCode = Math.max(0, ...exitCodes);
  const totals = sumReports(await Promise.all(workspaces.map(readRun)));
  interruption.signal.throwIfAborted();
  if (exitCode !== 0 && totals.failed === 0) {
    totals.failed = 1;
    totals.failures.push(`a test command ended with exit code ${exitCode}, but no test failed: see above`);
  }
  console.log(totals.failures.map(line => `\nfailed  ${line}`).join(''));
  console.log(`${workspaces.length} workspaces in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  console.log(formatTotals(totals));
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1;
}

/** Returns the servers of the environment if both are set; otherwise starts them. */
async function openTestServers(): Promise<TestServers> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_NATS_URL: natsUrl } = process.env;
  if (databaseUrl !== undefined && natsUrl !== undefined) return { databaseUrl, natsUrl, stop: async () => {} };
  return startTestServers(line => console.log(line));
}
