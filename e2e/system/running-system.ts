import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@billing/testing/wait-for';
import { inject } from 'vitest';

interface Part {
  readonly pid?: number;
  readonly url?: string;
}

interface Pids {
  readonly supervisor: { readonly pid?: number; readonly url: string; readonly token: string };
  readonly parts: Readonly<Record<string, Part>>;
}

/** Reads which processes run; the supervisor keeps the file current. */
export async function readPids(dataDir: string): Promise<Pids> {
  return JSON.parse(await readFile(join(dataDir, 'pids.json'), 'utf8')) as Pids; // written by the supervisor in this shape
}

/** Kills a service with SIGKILL and waits until the process that replaces it is ready. */
export async function killService(name: string): Promise<void> {
  const dataDir = inject('dataDir');
  const before = (await readPids(dataDir)).parts[name]?.pid;
  if (before === undefined) throw new Error(`${name} is not running.`);
  process.kill(before, 'SIGKILL');
  await waitFor(
    async () => {
      const part = (await readPids(dataDir)).parts[name];
      return part?.pid !== undefined && part.pid !== before && (await fetch(`${part.url}/health/ready`)).ok;
    },
    { what: `${name} to be back`, timeoutMs: 30_000 },
  );
  await waitFor(async () => (await fetch(`${inject('gatewayUrl')}/health/ready`)).ok, {
    what: 'the gateway to be ready',
    timeoutMs: 30_000,
  });
}

/** Stops a service and keeps it down, or starts it again, in the shared system unless given. Returns once that is done. */
export async function setService(
  name: string,
  wanted: 'stop' | 'start',
  dataDir: string = inject('dataDir'),
): Promise<void> {
  const { supervisor } = await readPids(dataDir);
  const response = await fetch(`${supervisor.url}/services/${name}/${wanted}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${supervisor.token}` },
  });
  if (!response.ok) throw new Error(`${name} did not ${wanted}: ${response.status} ${await response.text()}`);
}
