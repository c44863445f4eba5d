import type { EventObjectType, PublicEventType } from '@billing/contracts/event-types';
import { ResourceChanged } from '@billing/contracts/events/resources';
import type { ProjectId } from '@billing/contracts/ids';
import { MAX_EVENT_BYTES, type EventCause } from '@billing/contracts/resources/event';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { previousAttributes, typesOfChange, type Resource } from './event-of-change.ts';

export type { Resource } from './event-of-change.ts';

/** The row of a resource. */
interface ResourceRow {
  readonly teamId: string;
  readonly projectId: ProjectId;
  /** How many changes tenants were told of. */
  sequence: number;
}

/** When and why something changes. */
export interface Source {
  /** For a processor's event its time. */
  readonly at: Date;
  readonly cause: EventCause;
  /** Of the event that led to it; that of the request by default. */
  readonly trace?: TraceCarrier | undefined;
}

interface Change extends Source {
  readonly object: { readonly type: EventObjectType; readonly id: string };
  /** The resource as JSON before the change; null for a new one. */
  readonly before: Resource | null;
  /** After it. */
  readonly after: Resource;
  readonly isDeleted?: boolean;
  /** Whether nothing limits how long it is; then it is left out where no event can carry it. */
  readonly isUnlimited?: boolean;
  /** Where it does not follow from the change. */
  readonly type?: PublicEventType;
}

/**
 * Publishes a change of a resource for tenants, and counts it in the row, which the caller saves in the same transaction.
 * Nothing happens when no field changed but `updatedAt`, unless the resource is deleted or the type is given; returns whether
 * anything did.
 */
export function publishResource(
  publish: Publish,
  row: ResourceRow,
  { object, before, after, at, cause, isDeleted = false, isUnlimited = false, type, trace }: Change,
): boolean {
  const change = { resource: after, previous: before };
  const previous = previousAttributes(change);
  if (previous === undefined && !isDeleted && !type) return false;
  const types = type ? [type] : typesOfChange(object.type, change, { isDeleted });
  for (const [index, one] of types.entries()) {
    row.sequence += 1;
    const numbered = { ...object, sequence: row.sequence };
    const attributes = previous === undefined || index > 0 ? {} : previous;
    const carried = { data: after, previousAttributes: attributes };
    const shown = isUnlimited && isTooLong(carried) ? TRUNCATED : carried;
    const { projectId } = row;
    publish(ResourceChanged, row.teamId, { projectId, type: one, object: numbered, at, cause, ...shown }, trace);
  }
  return true;
}

const TRUNCATED = { data: {}, previousAttributes: null, truncated: true } as const;

const isTooLong = (carried: object): boolean => Buffer.byteLength(JSON.stringify(carried)) > MAX_EVENT_BYTES;
