import type { EventCause } from '@billing/contracts/resources/event';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { publishResource, type Resource } from '@billing/service/publish-resource';
import { hasContent } from '#domain/changes.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';

/** When and why a record changes. */
export interface Change {
  /** For a processor's event its time. */
  readonly at: Date;
  readonly cause: EventCause;
  /** Of the event that led to it; that of the request by default. */
  readonly trace?: TraceCarrier;
}

/** Publishes that a record was created. */
export function publishCreated<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  change: Change,
): void {
  publish(type.created, record.teamId, type.toState(record), change.trace);
  tell(type, publish, record, { ...change, before: null });
}

/** Saves what the processor has of a record; publishes it and returns true if anything differs. */
export function saveContent<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  { content, ...change }: Change & { readonly content: Partial<Row> },
): boolean {
  if (hasContent(record, content)) return false;
  const before = type.toJson(record);
  Object.assign(record, content, { version: record.version + 1 });
  publish(type.updated, record.teamId, type.toState(record), change.trace);
  tell(type, publish, record, { ...change, before });
  return true;
}

/** Marks a record as deleted, for good, and publishes that. */
export function saveDeleted<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  change: Change,
): void {
  Object.assign(record, { deletedAt: change.at, version: record.version + 1 });
  publish(type.deleted, record.teamId, type.toState(record), change.trace);
  tell(type, publish, record, { ...change, before: type.toJson(record), isDeleted: true });
}

/** Tells tenants of a change. */
function tell<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  { name, toJson }: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  change: Change & { readonly before: Resource | null; readonly isDeleted?: boolean },
): void {
  publishResource(publish, record, { ...change, object: { type: name, id: record.id }, after: toJson(record) });
}
