import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, tryPort } from '@billing/embedded-servers/free-port';
import { z } from 'zod';

const ports = z.record(z.string(), z.number().int().min(1).max(65_535));

/** Returns a free port for a name; no two names share a port. */
export type ChoosePort = (name: string) => Promise<number>;

/**
 * Chooses ports that stay the same across restarts while they are free, so that stored and printed links keep working.
 * They are saved in `ports.json`, which may be removed at any time.
 */
export function stablePorts(dataDir: string): ChoosePort {
  const file = join(dataDir, 'ports.json');
  const saved = readPorts(file);
  const chosen = new Map<string, number>();
  return async name => {
    const port = await choose(saved[name], new Set(chosen.values()));
    chosen.set(name, port);
    writeFileSync(file, `${JSON.stringify({ ...saved, ...Object.fromEntries(chosen) }, null, 2)}\n`);
    return port;
  };
}

async function choose(saved: number | undefined, taken: ReadonlySet<number>): Promise<number> {
  const isFree = async (port: number) => !taken.has(port) && (await tryPort(port, '127.0.0.1')) === undefined;
  if (saved !== undefined && (await isFree(saved))) return saved;
  for (;;) {
    const port = await findFreePort();
    if (!taken.has(port)) return port;
  }
}

function readPorts(file: string): Record<string, number> {
  if (!existsSync(file)) return {};
  try {
    return ports.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
