import type { ResourceChange } from '@billing/contracts/events/resources';
import { EventId, type TeamId } from '@billing/contracts/ids';
import { event, EVENT_API_VERSION, MAX_EVENT_BYTES } from '@billing/contracts/resources/event';
import { derivedId } from '@billing/service/derived-id';
import { z } from 'zod';

/** A change that is about to be recorded. */
export interface RecordedChange extends ResourceChange {
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
  const { id, type, at, livemode, teamId, projectId, position, object, cause } = change;
  const { data, previousAttributes, truncated } = change;
  const head = {
    id,
    type,
    timestamp: at,
    apiVersion: EVENT_API_VERSION,
    livemode,
    teamId,
    projectId,
    position,
    object,
    cause,
  };
  if (!truncated) {
    const whole = JSON.stringify(z.encode(event, { ...head, data, previousAttributes }));
    if (Buffer.byteLength(whole) <= MAX_EVENT_BYTES) return whole;
  }
  return JSON.stringify(z.encode(event, { ...head, truncated: true }));
}
