/** What a client needs to know; everything but the first four has a default. */
export interface ClientOptions {
  /** The gateway, for example `https://billing.example.com`. */
  readonly baseUrl: string;
  /** An API key of the project. */
  readonly apiKey: string;
  readonly teamId: string;
  readonly projectId: string;
  /** Further attempts after a lost connection or an answer that says "not now"; 2 unless told. */
  readonly maxRetries?: number | undefined;
  /** How long one attempt may take, in milliseconds; 30,000 unless told. */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** What may be told of a single call. */
export interface CallOptions {
  /** Ends the call and its retries; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's own. */
  readonly maxRetries?: number | undefined;
  /** In place of the client's own. */
  readonly timeoutMs?: number | undefined;
}

/** What may be told of a call that makes something. */
export interface WriteOptions extends CallOptions {
  /**
   * Your own key for this write, 1 to 255 characters: a repeat with the same key and body within 24 hours is the same
   * write. Without one each call has a key of its own, which covers its retries.
   */
  readonly idempotencyKey?: string | undefined;
}
