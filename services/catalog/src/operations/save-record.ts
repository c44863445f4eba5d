import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { hasContent } from '#domain/changes.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';

/** Publishes that a record was created. */
export function publishCreated<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  { created, toState }: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  trace?: TraceCarrier,
): void {
  publish(created, record.teamId, toState(record), trace);
}

/** Saves what the processor has of a record; publishes it and returns true if anything differs. */
export function saveContent<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  { updated, toState }: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  content: Partial<Row>,
  trace?: TraceCarrier,
): boolean {
  if (hasContent(record, content)) return false;
  Object.assign(record, content, { version: record.version + 1 });
  publish(updated, record.teamId, toState(record), trace);
  return true;
}

/** Marks a record as deleted, for good, and publishes that. */
export function saveDeleted<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  { deleted, toState }: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  deletedAt: Date,
  trace?: TraceCarrier,
): void {
  Object.assign(record, { deletedAt, version: record.version + 1 });
  publish(deleted, record.teamId, toState(record), trace);
}
