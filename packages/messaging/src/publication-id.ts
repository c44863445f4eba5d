import { hash } from 'node:crypto';

/** What makes a publication of a webhook event: the same values always give the same id. */
export interface Publication {
  readonly teamId: string;
  /** Stripe's event id. */
  readonly eventId: string;
  readonly projectId: string;
  /** How often the event was replayed. */
  readonly replays: number;
}

/**
 * The id under which a webhook event is published to a project, a UUID of version 8. However often it is published, the
 * bus and its consumers see one event; a replay is a new one.
 */
export function publicationId({ teamId, eventId, projectId, replays }: Publication): string {
  const digest = hash('sha256', JSON.stringify([teamId, eventId, projectId, replays]), 'buffer');
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
