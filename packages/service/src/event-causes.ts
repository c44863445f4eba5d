import type { ProcessorEventData } from '@billing/contracts/processor-events';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { EventCause } from '@billing/contracts/resources/event';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Source } from './save-record.ts';

/** Why something changed that no request was for: time alone, or what another change brings with it. */
export const CAUSED_BY_SYSTEM: EventCause = { type: 'system', requestId: null, processorEventId: null };

/** An import: a sync, or what is taken in of a customer that was linked. */
export const CAUSED_BY_SYNC: EventCause = { type: 'sync', requestId: null, processorEventId: null };

/** A change at the processor that a read found before its event came. */
export const FOUND_AT_PROCESSOR: EventCause = { type: 'processor', requestId: null, processorEventId: null };

/** Returns the cause that a request is. */
export function causeOfRequest({ actor, requestId }: Pick<AuditContext, 'actor' | 'requestId'>): EventCause {
  if (actor.type === 'operator' || actor.type === 'system') return CAUSED_BY_SYSTEM;
  return { type: actor.type === 'customer' ? 'portal' : 'api', requestId, processorEventId: null };
}

/** Returns when and why what a processor's event changes does so: because of the event, or of the sync that has read its object. */
export const sourceOf = ({ data, trace }: Pick<Delivery<ProcessorEventData>, 'data' | 'trace'>): Source => ({
  at: data.createdAt,
  cause: data.fromSync ? CAUSED_BY_SYNC : { type: 'processor', requestId: null, processorEventId: data.eventId },
  trace,
});
