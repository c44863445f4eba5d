import { envelope, type Envelope } from '@billing/contracts/event';
import { withRawJson } from '@billing/contracts/raw-json';
import type { NewEvent } from './new-event.ts';

/** The envelope in JSON; `data` goes in as it is, so that it is neither parsed nor written again. */
export function encode({ id, type, teamId, data, occurredMs }: NewEvent): string {
  return withRawJson({ id, type, teamId, occurredAt: new Date(occurredMs).toISOString() }, { data });
}

/** The body of a message that carries several events of one type: an array of their envelopes. */
export const encodeSeveral = (events: readonly NewEvent[]): string => `[${events.map(encode).join(',')}]`;

/** Returns the events that a message carries; none when it is malformed. */
export function decode(message: { json(): unknown }): Envelope[] {
  try {
    const body = message.json();
    return Array.isArray(body) ? body.map(one => envelope.parse(one)) : [envelope.parse(body)];
  } catch {
    return [];
  }
}
