/** Pino's number for warnings. */
const WARN = 40;

/** Returns the last `count` lines that are warnings, errors or no log records (a stack trace, for example). */
export function lastErrors(log: string, count: number): string[] {
  return log
    .split('\n')
    .filter(line => line.trim() !== '' && levelOf(line) >= WARN)
    .slice(-count);
}

/** Returns pino's level of a log record; Infinity for a line that is no record. */
function levelOf(line: string): number {
  try {
    const { level }: { level?: unknown } = JSON.parse(line) ?? {};
    return typeof level === 'number' ? level : Infinity;
  } catch {
    return Infinity;
  }
}
