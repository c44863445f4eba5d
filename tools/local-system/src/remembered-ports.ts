import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, tryPort } from '@billing/embedded-servers/free-port';
import { z } from 'zod';

const ports = z.record(z.string(), z.number().int().min(1).max(65_535));

/** Gives each name a port of its own. */
export type ChoosePort = (name: string) => Promise<number>;

/**
 * Ports that stay the same from start to start while they are free, so that a link which a part has stored or printed
 * still leads to it. They are kept in `ports.json`, which may be removed at any time.
 */
export function rememberPorts(dataDir: string): ChoosePort {
  const file = join(dataDir, 'ports.json');
  const remembered = readPorts(file);
  const given = new Map<string, number>();
  return async name => {
    const port = await choose(remembered[name], new Set(given.values()));
    given.set(name, port);
    writeFileSync(file, `${JSON.stringify({ ...remembered, ...Object.fromEntries(given) }, null, 2)}\n`);
    return port;
  };
}

async function choose(remembered: number | undefined, taken: ReadonlySet<number>): Promise<number> {
  const isFree = async (port: number) => !taken.has(port) && (await tryPort(port, '127.0.0.1')) === undefined;
  if (remembered !== undefined && (await isFree(remembered))) return remembered;
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
