/** How a request ended for its sender: an `unknown` one may have been done or not. */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** An event of the processor as a test posts it. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** The bytes that are signed. */
  readonly body: string;
  /** Of the newest attempt. */
  outcome: Outcome | undefined;
  /** Status of each attempt; 0 when there was no answer. */
  readonly answers: number[];
}

/** A write through the API, always under the same idempotency key. */
export interface Write {
  /** Below the project's path. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  outcome: Outcome | undefined;
  readonly answers: number[];
  /** What was made, once the answer has told. */
  id?: string | undefined;
}

/** Everything a run has sent for one tenant. */
export interface Sent {
  readonly events: SentEvent[];
  readonly writes: Write[];
}

/** What an answer's status says of what was done: 408, 429 and 503 before the work began also count as unknown. */
export function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'ok';
  if (status >= 400 && status < 500 && ![408, 409, 429].includes(status)) return 'fail';
  return 'unknown';
}
