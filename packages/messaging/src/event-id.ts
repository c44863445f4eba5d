import { hash, randomUUIDv7 } from 'node:crypto';

// Every id of an event begins with a time. So the marks of events that are handled together lie together in their index, and
// old ones are found by it.

/** Returns the id of a new event. */
export const newEventId = (): string => randomUUIDv7();

/** What makes a publication of a webhook event: the same values always give the same id. */
export interface Publication {
  readonly teamId: string;
  /** Stripe's event id. */
  readonly eventId: string;
  readonly projectId: string;
  /** How often the event was replayed. */
  readonly replays: number;
  /** When the event happened at Stripe. */
  readonly createdAt: Date;
}

/**
 * The id under which a webhook event is published to a project, a UUID of version 8. However often it is published, the
 * bus and its consumers see one event; a replay is a new one.
 */
export function publicationId({ teamId, eventId, projectId, replays, createdAt }: Publication): string {
  const digest = hash('sha256', JSON.stringify([teamId, eventId, projectId, replays]), 'buffer');
  digest.writeUIntBE(createdAt.getTime(), 0, TIME_BYTES);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return toUuid(digest.toString('hex', 0, 16));
}

/** Returns the lowest id of an event of this time. */
export const lowestEventId = (time: Date): string =>
  toUuid(
    time
      .getTime()
      .toString(16)
      .padStart(2 * TIME_BYTES, '0')
      .padEnd(32, '0'),
  );

/** https://www.rfc-editor.org/rfc/rfc9562#section-5.7: milliseconds since 1970. */
const TIME_BYTES = 6;

const toUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
