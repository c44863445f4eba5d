import type { EndpointHealth } from '#domain/endpoint-health.ts';
import { LEASE_SECONDS, type EndpointNews, type LeasedEndpoint } from './endpoint-rows.ts';

/** After it was extended, a lease holds for so long, and then as long as an attempt takes, in milliseconds. */
export const BEGIN_MS = (LEASE_SECONDS - 20) * 1_000;

/** Where the turn of one leased endpoint is. Times are those of `performance.now()`. */
export interface Turn {
  /** How it has responded, also what is not written yet. */
  health: EndpointHealth;
  /** What of it is written. */
  committed: Pick<LeasedEndpoint, 'status' | 'position' | 'isWarned'>;
  /** What others have told of it; undefined once the lease is lost. */
  news: EndpointNews | undefined;
  /** When its news was looked for. */
  lookedAt: number;
  /** Somebody has said since that events were recorded. */
  isTold: boolean;
  committedAt: number;
  /** Until when requests may begin: they end before anybody else can have the lease. */
  mayBeginUntil: number;
  /** When its recovery was continued. */
  recoveredAt: number;
  /** The commit that is under way, how many events it writes, and why one has failed. */
  commit: Promise<void> | undefined;
  beingWritten: number;
  failure: { readonly err: unknown } | undefined;
  /** Requests on their way. */
  onTheirWay: number;
  hasAttempted: boolean;
  /** A failing endpoint has been tried: the turn ends. */
  hasProbed: boolean;
  /** It has recovered, and what waits for that is not due yet: it comes first. */
  isReleasing: boolean;
  /** Something of ours went wrong. */
  hasFault: boolean;
  /** When what is on its way is left alone, once the process closes. */
  closesAt: number;
}

export function beginTurn(endpoint: LeasedEndpoint): Turn {
  const now = performance.now();
  return {
    health: endpoint,
    committed: endpoint,
    news: endpoint,
    lookedAt: now,
    isTold: false,
    committedAt: now,
    mayBeginUntil: now + BEGIN_MS,
    recoveredAt: now,
    commit: undefined,
    beingWritten: 0,
    failure: undefined,
    onTheirWay: 0,
    hasAttempted: false,
    hasProbed: false,
    isReleasing: false,
    hasFault: false,
    closesAt: Infinity,
  };
}

/** PostgreSQL's clock, by which deliveries are due, since an endpoint was leased: this machine's may differ. */
export function clockSince({ leasedAt }: Pick<LeasedEndpoint, 'leasedAt'>): () => Date {
  const since = performance.now();
  return () => new Date(leasedAt + performance.now() - since);
}
