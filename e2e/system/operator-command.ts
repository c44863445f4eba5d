import { execFile } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const RUN_COMMAND = join(ROOT, 'tools/local-system/src/run-command.ts');

/** How an operator's command ended, and what it printed. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a service's command, or a tool of this repository, beside the system of a data folder, as an operator would. */
export function runForSystem(dataDir: string, program: string, ...args: string[]): Promise<CommandResult> {
  const env = {
    ...process.env,
    BILLING_DATA_DIR: dataDir,
    DATABASE_URL: '',
    NATS_URL: '',
    ADMIN_DATABASE_URL: '',
    CREDENTIALS_KEYS: '',
    PUBLIC_URL: '',
  };
  const command = program.startsWith('services/') ? [RUN_COMMAND, program] : [join(ROOT, program)];
  return new Promise(resolve => {
    execFile(process.execPath, [...command, ...args], { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}
