/** The responses that one team got. */
export interface SeenResponses {
  /** How many responses had each status; 0 is no response. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Sends a request, and notes its status. The body is read to its end. */
  send(url: string, init?: RequestInit): Promise<{ readonly status: number; readonly body: string }>;
  note(status: number): void;
}

/** Starts without any. A request that is aborted counts for nothing. */
export function seenResponses(): SeenResponses {
  const statuses = new Map<number, number>();
  const note = (status: number) => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return {
    statuses,
    note,
    async send(url, init = {}) {
      try {
        const response = await fetch(url, init);
        const body = await response.text();
        note(response.status);
        return { status: response.status, body };
      } catch (err) {
        if (!init.signal?.aborted) note(0);
        return { status: 0, body: String(err) };
      }
    },
  };
}
