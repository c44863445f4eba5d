import { setTimeout as delay } from 'node:timers/promises';
import { openConnection, type Connection } from '../webhooks/connection.ts';

/** Instructs the generator to send requests. */
export interface RequestJob {
  /** Where to connect, without a path: `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Whole requests as they go over the wire. They are sent in turn, and again from the first one. */
  readonly requests: readonly string[];
  /**
   * Either each connection sends its next request as soon as its response has arrived, or so many requests start per
   * second whatever their responses take.
   */
  readonly pace: { readonly connections: number } | { readonly perSecond: number };
  /** Without a duration the generator sends until it is told to stop. */
  readonly durationMs?: number;
}

/** One response. */
export interface Responded {
  /** The position of the request in the job. */
  readonly request: number;
  readonly status: number;
  /** Fractional milliseconds since 1970. */
  readonly sentAt: number;
  /** From sending until the whole response had arrived. */
  readonly ms: number;
}

/** Servers close connections that are idle for five seconds; older ones are not used again. */
const MAX_IDLE_MS = 2_000;

async function send(job: RequestJob, stopped: AbortSignal): Promise<Responded[]> {
  const stopping = job.durationMs === undefined ? stopped : AbortSignal.any([stopped, afterMs(job.durationMs)]);
  return 'connections' in job.pace
    ? sendOneAfterAnother(job, job.pace.connections, stopping)
    : sendAtRate(job, job.pace.perSecond, stopping);
}

async function sendOneAfterAnother(
  { origin, requests }: RequestJob,
  count: number,
  stopping: AbortSignal,
): Promise<Responded[]> {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(new URL(origin))));
  const bytes = requests.map(request => Buffer.from(request));
  const responses: Responded[] = [];
  let next = 0;
  await Promise.all(
    connections.map(async connection => {
      while (!stopping.aborted) responses.push(await sendOne(connection, bytes, next++));
    }),
  );
  for (const connection of connections) connection.close();
  return responses;
}

/** A request that finds no free connection opens one, so that slow responses do not delay later requests. */
async function sendAtRate(
  { origin, requests }: RequestJob,
  perSecond: number,
  stopping: AbortSignal,
): Promise<Responded[]> {
  const bytes = requests.map(request => Buffer.from(request));
  const free: { readonly connection: Connection; readonly since: number }[] = [];
  const sending: Promise<Responded>[] = [];

  const sendNext = async (number: number) => {
    let taken = free.pop();
    while (taken && performance.now() - taken.since > MAX_IDLE_MS) {
      taken.connection.close();
      taken = free.pop();
    }
    const connection = taken?.connection ?? (await openConnection(new URL(origin)));
    const response = await sendOne(connection, bytes, number);
    free.push({ connection, since: performance.now() });
    return response;
  };

  const startedAt = performance.now();
  for (let number = 0; !stopping.aborted; number += 1) {
    sending.push(sendNext(number));
    const waitMs = startedAt + ((number + 1) * 1_000) / perSecond - performance.now();
    await delay(Math.max(0, waitMs), undefined, { signal: stopping }).catch(() => undefined);
  }
  const responses = await Promise.all(sending);
  for (const { connection } of free) connection.close();
  return responses;
}

async function sendOne(connection: Connection, requests: readonly Buffer[], number: number): Promise<Responded> {
  const request = number % requests.length;
  const bytes = requests[request];
  if (!bytes) throw new Error('A job needs at least one request.');
  const sentAt = performance.now();
  const status = await connection.post(bytes);
  return { request, status, sentAt: performance.timeOrigin + sentAt, ms: performance.now() - sentAt };
}

/** A timer that aborts its signal late by some milliseconds does no harm: rates use the times of the responses. */
function afterMs(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(ms));
}

let stop = new AbortController();
process.on('message', (message: RequestJob | 'stop') => {
  if (message === 'stop') return stop.abort();
  stop = new AbortController();
  void send(message, stop.signal).then(
    responses => process.send?.({ responses }),
    (err: unknown) => process.send?.({ failed: err instanceof Error ? err.message : String(err) }),
  );
});
