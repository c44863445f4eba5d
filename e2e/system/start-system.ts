import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { NO_LIMITS } from '@billing/testing/no-limits';
import { waitFor } from '@billing/testing/wait-for';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { readPids } from './running-system.ts';

const MAIN = join(import.meta.dirname, '../../tools/local-system/src/main.ts');
/** Generous: only a failed start takes this long, even on a slow machine. */
const START_MS = 240_000;

export interface StartedSystem {
  readonly gatewayUrl: string;
  /** Of the local processor. */
  readonly processorUrl: string;
  readonly dataDir: string;
  /** Everything printed so far. */
  output(): string;
  /**
   * Stops the system with SIGTERM and deletes its data folder.
   * @throws Error when the exit code is not 0
   */
  stop(): Promise<void>;
  /** Kills the system as a power failure would, and leaves its data folder. */
  kill(): Promise<void>;
}

interface StartOptions {
  readonly demo?: boolean;
  /** Starts again in the data folder and at the address of a system that was killed. */
  readonly again?: Pick<StartedSystem, 'dataDir' | 'gatewayUrl'>;
}

/** Starts a whole system as `npm start` does, with its own data folder and port. */
export async function startSystem(
  variables: Readonly<Record<string, string>> = {},
  { demo = false, again }: StartOptions = {},
): Promise<StartedSystem> {
  const dataDir = again?.dataDir ?? (await mkdtemp(join(tmpdir(), 'billing-e2e-')));
  const gatewayUrl = again?.gatewayUrl ?? `http://127.0.0.1:${await findFreePort()}`;
  const env = {
    ...process.env,
    BILLING_DATA_DIR: dataDir,
    GATEWAY_PORT: new URL(gatewayUrl).port,
    PUBLIC_URL: gatewayUrl,
    LOG_LEVEL: 'info',
    ...NO_LIMITS,
    // Receivers of tests listen on 127.0.0.1; what nobody may call, elsewhere.
    WEBHOOKS_ALLOW_ADDRESSES: '127.0.0.1,localhost',
    SYNC_NIGHTLY: 'off',
    // Beside live traffic, which only `npm run test:system` has, what differs needs more time to become equal.
    SYNC_RECHECK_SECONDS: process.env['SYSTEM'] === '1' ? '1' : '0.2',
    ...Object.fromEntries(['DATABASE_URL', 'NATS_URL', 'STRIPE_API_BASE_URL'].map(name => [name, ''])),
    ...variables,
  };
  const system = spawn(process.execPath, [MAIN, ...(demo ? [] : ['--no-demo'])], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The system also ends when the tests are killed.
  const guard = startProcessGuard();
  if (system.pid !== undefined) guard.watch(system.pid, { first: 'SIGTERM', later: 'SIGKILL' });
  system.once('exit', () => guard.close());
  const output = outputOf(system);
  const isUp = demo
    ? () => output().includes('Billing is running.')
    : async () => (await isReady(gatewayUrl)) && (await isSupervised(dataDir));
  try {
    await waitFor(async () => hasExited(system) || (await isUp()), {
      what: 'the system to be ready',
      timeoutMs: START_MS,
    });
    if (hasExited(system)) throw new Error('The system exited during startup.');
  } catch (error) {
    system.kill('SIGTERM');
    throw new Error(`The system did not start:\n${output()}`, { cause: error });
  }
  const { url: processorUrl = '' } = (await readPids(dataDir)).parts['processor'] ?? {};
  return {
    gatewayUrl,
    processorUrl,
    dataDir,
    output,
    async stop() {
      system.kill('SIGTERM');
      await waitFor(() => hasExited(system), { what: 'the system to stop' });
      if (system.exitCode !== 0) throw new Error(`The system stopped with exit code ${system.exitCode}:\n${output()}`);
      await rm(dataDir, { recursive: true, force: true });
    },
    async kill() {
      const { parts } = await readPids(dataDir);
      system.kill('SIGKILL');
      const isGone = ({ pid }: { readonly pid?: number }) => pid === undefined || !isAlive(pid);
      await waitFor(() => Object.values(parts).every(isGone), { what: 'every process to end' });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function isReady(gatewayUrl: string): Promise<boolean> {
  return (await fetch(`${gatewayUrl}/health/ready`)).ok;
}

/** Whether the supervisor has noted every process, which it may do shortly after the gateway is ready. */
async function isSupervised(dataDir: string): Promise<boolean> {
  return Object.values((await readPids(dataDir)).parts).every(({ pid }) => pid !== undefined);
}

function outputOf(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return () => chunks.join('');
}
