import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@billing/testing/wait-for';
import { inject } from 'vitest';

interface Part {
  readonly pid?: number;
  readonly url?: string;
}

interface Pids {
  readonly supervisor: { readonly url: string; readonly token: string };
  readonly parts: Readonly<Record<string, Part>>;
}

/** Which processes run, as the supervisor keeps it current. */
export async function readPids(dataDir: string): Promise<Pids> {
  return JSON.parse(await readFile(join(dataDir, 'pids.json'), 'utf8')) as Pids; // written by the supervisor in this shape
}

/** Kills a service without warning; its supervisor starts it again. Answers when the new process is ready. */
export async function killService(name: string): Promise<void> {
  const dataDir = inject('dataDir');
  const before = (await readPids(dataDir)).parts[name]?.pid;
  if (before === undefined) throw new Error(`${name} does not run.`);
  process.kill(before, 'SIGKILL');
  await waitFor(
    async () => {
      const part = (await readPids(dataDir)).parts[name];
      return part?.pid !== undefined && part.pid !== before && (await fetch(`${part.url}/health/ready`)).ok;
    },
    { what: `${name} to be back`, timeoutMs: 30_000 },
  );
  await waitFor(async () => (await fetch(`${inject('gatewayUrl')}/health/ready`)).ok, {
    what: 'the gateway to find everything ready',
    timeoutMs: 30_000,
  });
}

/** Keeps a service down, or brings it back; answers when it is so. */
export async function setService(name: string, wanted: 'stop' | 'start'): Promise<void> {
  const { supervisor } = await readPids(inject('dataDir'));
  const answer = await fetch(`${supervisor.url}/services/${name}/${wanted}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${supervisor.token}` },
  });
  if (!answer.ok) throw new Error(`${name} did not ${wanted}: ${answer.status} ${await answer.text()}`);
}
