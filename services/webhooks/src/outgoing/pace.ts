import type { WebhookEndpointId } from '@billing/contracts/ids';
import { isSuccess } from './endpoint-health.rules.ts';

/** An endpoint is slow when a request takes longer, in milliseconds. */
const SLOW_MS = 2_000;
/** Responses of an overloaded receiver, or of a proxy before one. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 504]);
/** How long after such a response the concurrency is not doubled, in milliseconds. */
const CAREFUL_MS = 30_000;
/** Endpoints that are remembered. */
const MAX_KNOWN = 50_000;

/** How fast one endpoint may be sent to. */
export interface Pace {
  /** Requests that may be on their way to it at once. */
  readonly limit: (now: number) => number;
  /** Whether it has responded quickly of late; others share a small part of the slots. */
  readonly isProven: (now: number) => boolean;
  /** A request begins; call what is returned when it has ended, with the status of its response. Times in milliseconds. */
  readonly begin: (now: number) => (now: number, responseStatus: number | null) => void;
}

function openPace(maximum: number): Pace {
  let [allowed, isProven, carefulUntil] = [1, false, 0];
  const underWay = new Set<{ readonly since: number }>();
  return {
    limit: () => Math.min(allowed, maximum),
    isProven(now) {
      const [oldest] = underWay;
      return isProven && (!oldest || now - oldest.since < SLOW_MS);
    },
    begin(since) {
      const request = { since };
      underWay.add(request);
      return (now, responseStatus) => {
        underWay.delete(request);
        const isQuick = now - since < SLOW_MS;
        isProven = isQuick && isSuccess(responseStatus);
        if (OVERLOADED.has(responseStatus ?? 0)) {
          // Those that were on their way together count once.
          if (since >= carefulUntil - CAREFUL_MS) {
            allowed = Math.max(1, Math.floor(Math.min(allowed, maximum) / 2));
            carefulUntil = now + CAREFUL_MS;
          }
        } else if (isProven) allowed = Math.min(maximum, now < carefulUntil ? allowed : allowed * 2);
      };
    },
  };
}

/** Opens what this process knows of how fast endpoints respond. One that it does not know begins with one request at a time. */
export function openPaces() {
  const known = new Map<string, Pace>();
  return (id: WebhookEndpointId, maxConcurrency: number): Pace => {
    const key = `${id} ${maxConcurrency}`;
    const pace = known.get(key) ?? openPace(maxConcurrency);
    known.delete(key);
    known.set(key, pace);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    return pace;
  };
}
