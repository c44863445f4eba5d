import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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

/** Stops a service of a system and keeps it down, or starts it again. Returns once that is done. */
export async function setService(name: string, wanted: 'stop' | 'start', dataDir: string): Promise<void> {
  const { supervisor } = await readPids(dataDir);
  const response = await fetch(`${supervisor.url}/services/${name}/${wanted}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${supervisor.token}` },
  });
  if (!response.ok) throw new Error(`${name} did not ${wanted}: ${response.status} ${await response.text()}`);
}
