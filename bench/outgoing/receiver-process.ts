import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Tells the receiver what to do next. */
export type Instruction =
  /** Forgets what arrived. `hangs`: endpoints whose path says so get no response. */
  | { readonly start: true; readonly hangs: boolean }
  /** Report when so many different events have arrived at endpoints that do not hang. */
  | { readonly reportAt: number };

/** What arrived at endpoints that do not hang. */
export interface Arrivals {
  /** When the last event arrived that was no repetition, in milliseconds since 1970. */
  readonly endedAt: number;
  /** From the time in each event until it arrived, in milliseconds. */
  readonly latencies: readonly number[];
  readonly repetitions: number;
}

/** The path of an endpoint that does not respond when told so. */
export const HANGING_PATH = '/hanging';

/** Receives webhooks, counts them by endpoint and id, and responds 204 at once. */
function receive(): void {
  let [seen, latencies] = [new Set<string>(), [] as number[]];
  let [hangs, endedAt, repetitions, reportAt] = [false, 0, 0, Infinity];
  const reportOnce = () => {
    if (seen.size < reportAt) return;
    reportAt = Infinity;
    process.send?.({ endedAt, latencies, repetitions } satisfies Arrivals);
  };
  const count = (path: string, id: string, body: string) => {
    const key = `${path} ${id}`;
    if (seen.has(key)) {
      repetitions += 1;
      return;
    }
    seen.add(key);
    endedAt = performance.timeOrigin + performance.now();
    const [, timestamp = ''] = /"timestamp":"([^"]+)"/.exec(body) ?? [];
    latencies.push(endedAt - Date.parse(timestamp));
    reportOnce();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const isHanging = path.startsWith(HANGING_PATH);
      if (isHanging && hangs) return;
      response.writeHead(204).end();
      if (!isHanging) count(path, String(request.headers['webhook-id']), Buffer.concat(chunks).toString());
    });
  });
  process.on('message', (instruction: Instruction) => {
    if ('start' in instruction) {
      [seen, latencies] = [new Set(), []];
      [hangs, endedAt, repetitions, reportAt] = [instruction.hangs, 0, 0, Infinity];
    } else {
      reportAt = instruction.reportAt;
      reportOnce();
    }
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    process.send?.({ url: `http://127.0.0.1:${port}` });
  });
}

if (process.send) receive();
