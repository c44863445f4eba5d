const WARN = 40;

/**
 * What of a log's end tells why a process ended: its warnings and errors, and whatever is no log record, such as a
 * stack trace. What it did when all was well is left out.
 */
export function lastWords(log: string, count: number): string[] {
  return log
    .split('\n')
    .filter(line => line.trim() !== '' && levelOf(line) >= WARN)
    .slice(-count);
}

/** Pino's level of a record; a line that is no record counts as worth reading. */
function levelOf(line: string): number {
  try {
    const { level }: { level?: unknown } = JSON.parse(line) ?? {};
    return typeof level === 'number' ? level : Infinity;
  } catch {
    return Infinity;
  }
}
