import { envelope, type Envelope } from '@billing/contracts/event';
import { withRawJson } from '@billing/contracts/raw-json';
import type { NewEvent } from './new-event.ts';

/** The body of a message: an array of envelopes in JSON. */
export const encode = (events: readonly NewEvent[]): string => `[${events.map(encodeOne).join(',')}]`;

/** `data` goes in as it is, so that it is neither parsed nor written again. */
function encodeOne({ id, type, teamId, data, occurredMs }: NewEvent): string {
  return withRawJson({ id, type, teamId, occurredAt: new Date(occurredMs).toISOString() }, { data });
}

const envelopes = envelope.array();

/** Returns the events that a message carries; none when it is malformed. */
export function decode(message: { json(): unknown }): Envelope[] {
  try {
    return envelopes.parse(message.json());
  } catch {
    return [];
  }
}
