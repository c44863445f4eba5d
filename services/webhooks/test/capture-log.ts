import { pino } from 'pino';

/** Creates a logger whose lines a test reads. */
export function captureLog() {
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  return { logger, lines, count: (message: string) => lines.filter(line => line.includes(message)).length };
}
