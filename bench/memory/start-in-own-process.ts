import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { measureMemory, type MemoryUse } from '../../tools/local-system/src/process-memory.ts';

const MAIN = join(import.meta.dirname, '../../tools/local-system/src/main.ts');

export interface Started {
  /** From starting the process until the system is ready. */
  readonly seconds: number;
  /** Of all processes of the system, right after it was ready. */
  readonly memory: MemoryUse;
}

/**
 * Starts a whole system in its own process, and stops it when it is ready.
 * @throws Error with what it printed when it does not get ready
 */
export async function startInOwnProcess(dataDir: string): Promise<Started> {
  const startedAt = performance.now();
  const system = spawn(process.execPath, [MAIN, '--no-demo'], {
    env: { ...process.env, BILLING_DATA_DIR: dataDir, GATEWAY_PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(system, 'exit');
  try {
    const printed: string[] = [];
    for await (const line of createInterface({ input: system.stdout })) {
      printed.push(line);
      if (!line.startsWith('Billing is running')) continue;
      const seconds = (performance.now() - startedAt) / 1_000;
      return { seconds, memory: measureMemory(system.pid === undefined ? [] : [system.pid]) };
    }
    throw new Error(`The system ended before it was ready:\n${printed.join('\n')}`);
  } finally {
    system.kill();
    await exited;
  }
}
