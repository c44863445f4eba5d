const MINUTE_MS = 60_000;

/** Returns a time as a field of type `datetime-local` takes it: to the minute, in the reader's zone. */
export const localText = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
