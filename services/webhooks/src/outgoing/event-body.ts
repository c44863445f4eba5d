import type { PublicEventContent } from '@billing/contracts/events/public-data';
import { EventId, type TeamId } from '@billing/contracts/ids';
import { EVENT_API_VERSION, MAX_EVENT_BYTES } from '@billing/contracts/resources/event';
import { derivedId } from '@billing/service/derived-id';

/** A change that is about to be recorded. */
export interface RecordedChange extends PublicEventContent {
  readonly id: EventId;
  readonly teamId: TeamId;
  readonly livemode: boolean;
  readonly position: number;
}

/** Returns the id of an event: what is published twice has one id. `epoch` counts the purges of its team. */
export const eventIdOf = (
  { teamId, projectId, object }: Pick<RecordedChange, 'teamId' | 'projectId' | 'object'>,
  epoch: number,
): EventId =>
  derivedId(EventId, JSON.stringify([teamId, projectId, object.type, object.id, object.sequence, epoch]), 'event');

/** Returns an event as text: what `GET P/events/{id}` returns, and the body of a webhook. */
export function eventBody(change: RecordedChange): string {
  const { id, type, at, livemode, teamId, projectId, position, object, cause, data, previousAttributes } = change;
  const about = { livemode, teamId, projectId, position, object, cause };
  const head = { id, type, timestamp: at.toISOString(), apiVersion: EVENT_API_VERSION, ...about };
  const whole = data && JSON.stringify({ ...head, data, previousAttributes });
  if (whole && Buffer.byteLength(whole) <= MAX_EVENT_BYTES) return whole;
  return JSON.stringify({ ...head, truncated: true });
}
