import type { BillingError } from './billing-error.ts';

/** How a client reaches the gateway; all but `baseUrl` have defaults. */
export interface ConnectionOptions {
  /** The gateway, for example `https://billing.example.com`. */
  readonly baseUrl: string;
  /** An API key of the project. Without one, the browser's session at the gateway is used. */
  readonly apiKey?: string | undefined;
  /** Retries after a lost connection or a temporary failure; 2 by default. */
  readonly maxRetries?: number | undefined;
  /** How long one attempt may take, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Called before each retry with the failure of the attempt before it, and with the pause until then in milliseconds. */
  readonly onRetry?: ((failure: BillingError, pauseMs: number) => void) | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** Options of a client of one project. */
export interface ClientOptions extends ConnectionOptions {
  readonly teamId: string;
  readonly projectId: string;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call and its retries; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's option. */
  readonly maxRetries?: number | undefined;
  /** Overrides the client's option. */
  readonly timeoutMs?: number | undefined;
}

/** Options of a call that creates something. */
export interface WriteOptions extends CallOptions {
  /**
   * Identifies this write, 1 to 255 characters: a repeat with the same key and body within 24 hours has no second effect
   * and returns the first result. By default each call uses a random key, which covers its own retries.
   */
  readonly idempotencyKey?: string | undefined;
}
