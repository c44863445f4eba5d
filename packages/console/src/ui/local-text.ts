const MINUTE_MS = 60_000;

/** Returns a time as a field of type `datetime-local` takes it: to the minute, in the reader's zone. */
export const localText = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);

/** Returns the time in such a field, which began with `before`: untouched, it is the same to the millisecond. Null for none. */
export function editedTime(text: string, before: string | null): string | null {
  if (text === (before === null ? '' : localText(new Date(before)))) return before;
  return text === '' ? null : new Date(text).toISOString();
}
