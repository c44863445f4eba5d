import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RequestJob, Responded } from './request-generator.ts';

/** Sends requests from its own process, one job at a time. */
export interface RequestLoad extends Disposable {
  /**
   * Sends requests until the duration of the job has passed or `stop` is called. Returns the responses, whatever their
   * status.
   * @throws Error when a request could not be sent
   */
  send(job: RequestJob): Promise<readonly Responded[]>;
  /** Ends the job under way after the requests in flight. */
  stop(): void;
}

/** Starts the generator in its own process, so that it shares no thread with what is measured. */
export function startRequestLoad(): RequestLoad {
  const generator = fork(join(import.meta.dirname, 'request-generator.ts'));
  return {
    async send(job) {
      generator.send(job);
      const [message] = (await once(generator, 'message')) as [
        { responses: readonly Responded[] } | { failed: string }, // what the generator sends
      ];
      if ('failed' in message) throw new Error(`The requests could not be sent: ${message.failed}`);
      return message.responses;
    },
    stop: () => void generator.send('stop'),
    [Symbol.dispose]: () => void generator.kill(),
  };
}

/** Renders a GET request as it is sent over the wire. */
export function getRequest(url: string, headers: Readonly<Record<string, string>> = {}): string {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, connection: 'keep-alive', accept: 'application/json', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`;
}

/** @throws Error unless the response is 200 with JSON */
export async function fetchJson(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`GET ${url} got ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Returns the responses per second, from the first request to the last response. */
export function rateOf(responses: readonly Responded[]): number {
  const startedAt = responses.reduce((earliest, { sentAt }) => Math.min(earliest, sentAt), Infinity);
  const endedAt = responses.reduce((latest, { sentAt, ms }) => Math.max(latest, sentAt + ms), 0);
  return responses.length / ((endedAt - startedAt) / 1_000);
}

/**
 * Returns these responses.
 * @throws Error unless each has the status that is expected, 200 unless given
 */
export function requireOk(responses: readonly Responded[], expected = 200): readonly Responded[] {
  const failed = responses.filter(({ status }) => status !== expected);
  const statuses = [...new Set(failed.map(({ status }) => status))].join(', ');
  if (failed.length > 0) throw new Error(`${failed.length} of ${responses.length} requests got ${statuses}.`);
  return responses;
}
