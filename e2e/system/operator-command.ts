import { execFile } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** How an operator's command ended, and what it printed. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a program of this repository beside the system of a data folder, as an operator would. */
export function runForSystem(dataDir: string, program: string, ...args: string[]): Promise<CommandResult> {
  const env = { ...process.env, BILLING_DATA_DIR: dataDir, DATABASE_URL: '', NATS_URL: '', ADMIN_DATABASE_URL: '' };
  return new Promise(resolve => {
    execFile(process.execPath, [join(ROOT, program), ...args], { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}
