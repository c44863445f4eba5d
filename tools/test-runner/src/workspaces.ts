import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { vitestReport, type WorkspaceRun } from './vitest-report.ts';

export interface Workspace {
  name: string;
  folder: string;
  hasTestFiles: boolean;
}

/** The path of this run's Vitest report in each workspace; ignored by git. */
export const REPORT_FILE = `.turbo/vitest-report-${process.pid}.json`;

const dryRun = z.object({ tasks: z.array(z.object({ package: z.string(), directory: z.string() })) });

/** Returns the workspaces that `turbo run test` runs with these arguments. */
export async function listWorkspaces(root: string, turboArgs: readonly string[]): Promise<Workspace[]> {
  const { stdout } = await promisify(execFile)('turbo', ['run', 'test', '--dry=json', ...turboArgs], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { tasks } = dryRun.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))));
  return Promise.all(
    tasks.map(async task => {
      const folder = join(root, task.directory);
      return { name: task.package, folder, hasTestFiles: await hasTests(folder) };
    }),
  );
}

/** Reads and removes the report of the workspace's run. */
export async function readRun({ name, folder, hasTestFiles }: Workspace): Promise<WorkspaceRun> {
  const file = join(folder, REPORT_FILE);
  if (!existsSync(file)) return { name, hasTestFiles };
  const text = await readFile(file, 'utf8');
  await rm(file);
  return { name, hasTestFiles, report: vitestReport.parse(JSON.parse(text)) };
}

async function hasTests(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isFile() && entry.name.endsWith('.test.ts')) return true;
    const visited = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.');
    if (visited && (await hasTests(join(folder, entry.name)))) return true;
  }
  return false;
}
