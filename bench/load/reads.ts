import { quantile } from '../statistics.ts';
import { rateOf, requireOk, type RequestLoad } from './request-load.ts';

const CONNECTIONS = 32;
export const PER_SECOND = 200;
/** How long each side is read in a round. */
export const ROUND_MS = 5_000;

/** One way to read: whole requests that are sent in turn to one server, and the status that each gets, 200 unless given. */
export interface Reads {
  readonly url: string;
  readonly requests: readonly string[];
  readonly status?: number;
}

/** What one side reaches in one round: as many requests as it can, and latencies at a steady rate, in milliseconds. */
export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Sends as many requests as the side responds to, and returns how many a second it did. */
export async function measureRate(
  load: RequestLoad,
  { url, requests, status }: Reads,
  durationMs: number,
): Promise<number> {
  const pace = { connections: CONNECTIONS };
  return rateOf(requireOk(await load.send({ origin: new URL(url).origin, requests, pace, durationMs }), status));
}

/** Measures the rate, and then for as long the latencies at a steady rate. */
export async function measureReads(load: RequestLoad, reads: Reads, durationMs: number): Promise<Measured> {
  const perSecond = await measureRate(load, reads, durationMs);
  const job = { origin: new URL(reads.url).origin, requests: reads.requests, durationMs };
  const steady = requireOk(await load.send({ ...job, pace: { perSecond: PER_SECOND } }), reads.status);
  const latencies = steady.map(({ ms }) => ms);
  return { perSecond, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
