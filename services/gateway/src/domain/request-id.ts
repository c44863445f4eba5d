import { randomUUID } from 'node:crypto';

const PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** The request's own id if it is one that can stand in a log line, or else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && PATTERN.test(header) ? header : randomUUID();
}
