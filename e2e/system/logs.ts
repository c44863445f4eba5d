import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

const folder = () => join(inject('dataDir'), 'logs');
const logFiles = async () => (await readdir(folder())).filter(file => file.endsWith('.log'));

/** How much of each log there is, in bytes. */
export type LogMarks = ReadonlyMap<string, number>;

export async function markLogs(): Promise<LogMarks> {
  const files = await logFiles();
  return new Map(await Promise.all(files.map(async file => [file, (await stat(join(folder(), file))).size] as const)));
}

/** The lines since then that a service wrote as an error or worse, or that are none of its own. */
export async function errorsSince(marks: LogMarks): Promise<string[]> {
  const lines = await Promise.all(
    (await logFiles()).map(async file => {
      const added = (await readFile(join(folder(), file))).subarray(marks.get(file) ?? 0).toString();
      return added
        .split('\n')
        .filter(line => isError(line))
        .map(line => `${file}: ${line}`);
    }),
  );
  return lines.flat();
}

/**
 * Of pino's levels 50 is an error and 60 the end. PostgreSQL and NATS write in forms of their own. An event of the
 * processor's that makes no sense is told to the operator as an error, and that is no fault of the service.
 */
const isError = (line: string): boolean =>
  /"level":(?:50|60)|^\s+at |FATAL|PANIC|panic:/.test(line) &&
  !/"type":"processor\..*"msg":"fact set aside"/.test(line);
