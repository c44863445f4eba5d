import { previousAttributes, typeOfChange, type Resource } from './event-of-change.ts';

import type { EventObjectType, PublicEventType } from '@billing/contracts/event-types';
import { ResourceChanged, type ResourceChange } from '@billing/contracts/events/resources';
import type { ProjectId } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

export type { Resource } from './event-of-change.ts';

/** The row of a resource. */
interface ResourceRow {
  readonly teamId: string;
  readonly projectId: ProjectId;
  /** How many changes tenants were told of. */
  sequence: number;
}

interface Change extends Pick<ResourceChange, 'at' | 'cause'> {
  readonly object: { readonly type: EventObjectType; readonly id: string };
  /** The resource as JSON before the change; null for a new one. */
  readonly before: Resource | null;
  /** After it. */
  readonly after: Resource;
  readonly isDeleted?: boolean;
  /** Where it does not follow from the change. */
  readonly type?: PublicEventType;
  /** Of the event that led to it; that of the request by default. */
  readonly trace?: TraceCarrier | undefined;
}

/**
 * Publishes a change of a resource for tenants, and counts it in the row, which the caller saves in the same transaction.
 * Nothing happens when no field changed but `updatedAt`, unless the resource is deleted or the type is given.
 */
export function publishResource(
  publish: Publish,
  row: ResourceRow,
  { object, before, after, at, cause, isDeleted = false, type, trace }: Change,
): void {
  const change = { resource: after, previous: before };
  const previous = previousAttributes(change);
  if (previous === undefined && !isDeleted && !type) return;
  row.sequence += 1;
  publish(
    ResourceChanged,
    row.teamId,
    {
      projectId: row.projectId,
      type: type ?? typeOfChange(object.type, change, { isDeleted }),
      object: { ...object, sequence: row.sequence },
      at,
      cause,
      data: after,
      previousAttributes: previous === undefined ? {} : previous,
    },
    trace,
  );
}
