import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

const folder = () => join(inject('dataDir'), 'logs');
const logFiles = async () => (await readdir(folder())).filter(file => file.endsWith('.log'));

/** The size of each log file, in bytes. */
export type LogMarks = ReadonlyMap<string, number>;

/** Returns the current size of every log file. */
export async function markLogs(): Promise<LogMarks> {
  const files = await logFiles();
  return new Map(await Promise.all(files.map(async file => [file, (await stat(join(folder(), file))).size] as const)));
}

/** Returns the error lines that were written after the marks, but those that name only other teams: other tests run meanwhile. */
export async function errorsSince(marks: LogMarks, teamIds: readonly string[]): Promise<string[]> {
  const isForeign = (line: string) => /team_\w{20}/.test(line) && !teamIds.some(id => line.includes(id));
  return (await readLogs(marks))
    .filter(({ line }) => isError(line) && !isForeign(line))
    .map(({ file, line }) => `${file}: ${line}`);
}

/** Returns every line of every log that was written after the marks, with the name of its file. */
export async function readLogs(
  marks: LogMarks = new Map(),
): Promise<{ readonly file: string; readonly line: string }[]> {
  const texts = await Promise.all(
    (await logFiles()).map(async file => {
      const added = (await readFile(join(folder(), file))).subarray(marks.get(file) ?? 0);
      return { file, lines: added.toString().split('\n') };
    }),
  );
  return texts.flatMap(({ file, lines }) => lines.map(line => ({ file, line })));
}

/**
 * Recognizes pino's levels error (50) and fatal (60), stack traces, and fatal errors of PostgreSQL and NATS. A webhook
 * event with invalid data is logged as an error for the operator, but is not a defect of the service, and others try wrong
 * passwords meanwhile (S16).
 */
const isError = (line: string): boolean =>
  /"level":(?:50|60)|^\s+at |FATAL|PANIC|panic:/.test(line) &&
  !/"type":"processor\..*"msg":"event dead-lettered"|password authentication failed/.test(line);
