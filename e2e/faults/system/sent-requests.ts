/** What the sender knows about a request. An `unknown` request may or may not have been processed. */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** A webhook event that a test posts, possibly several times. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** The request body; signatures cover exactly these bytes. */
  readonly body: string;
  /** `ok` once any attempt was acknowledged, otherwise the outcome of the newest attempt. */
  outcome: Outcome | undefined;
  /** The response status of each attempt; 0 when no response arrived. */
  readonly statuses: number[];
}

/** A write through the API; every attempt uses the same idempotency key. */
export interface Write {
  /** The path below the project's. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  outcome: Outcome | undefined;
  readonly statuses: number[];
  /** The id of the created resource, once a response contained it. */
  id?: string | undefined;
}

/** Everything one run sent for a tenant. */
export interface Sent {
  readonly events: SentEvent[];
  readonly writes: Write[];
}

/** Returns the outcome that a response status means. 408, 409, 429 and 5xx are `unknown`: the request is repeated. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'ok';
  if (status >= 400 && status < 500 && ![408, 409, 429].includes(status)) return 'fail';
  return 'unknown';
}
