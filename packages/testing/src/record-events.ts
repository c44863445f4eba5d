import { randomUUID } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import { InvoiceSaved } from '@billing/contracts/events/money';
import type { PublicEventContent } from '@billing/contracts/events/public-data';
import type { TeamId } from '@billing/contracts/ids';

/**
 * Returns the event of a record that is one event for tenants, with no more of the record than they see. Whatever it is about, its
 * type is one that only the recorder of events for tenants reads: others would miss the rest of the record.
 */
export function recordEventOf(teamId: TeamId, content: PublicEventContent): Envelope {
  const { projectId, type, object, at, cause, data, previousAttributes } = content;
  const change = { types: [type], sequence: object.sequence, at: at.toISOString(), cause, previousAttributes };
  const state = object.type === 'customer_state' ? { customerId: object.id, state: data } : { id: object.id, ...data };
  const carried = { projectId, ...state, change };
  return { id: randomUUID(), type: InvoiceSaved.name, teamId, occurredAt: new Date(), data: carried };
}
