import type { Publish } from '@billing/messaging/outbox';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { saveRecord, type Source } from '@billing/service/save-record';
import { hasContent } from '#domain/changes.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';

/** Publishes that a record was created. */
export function publishCreated<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  source: Source,
): void {
  saveRecord(publish, type, record, { ...source, before: null, now: source.at });
}

/** Saves what the processor has of a record; returns true if anything differs. */
export function saveContent<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  { content, ...source }: Source & { readonly content: Partial<Row> },
): boolean {
  if (hasContent(record, content)) return false;
  const before = type.toState(record);
  Object.assign(record, content);
  saveRecord(publish, type, record, { ...source, before, now: source.at });
  return true;
}

/** Marks a record as deleted, for good. */
export function saveDeleted<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  source: Source,
): void {
  const before = type.toState(record);
  Object.assign(record, { deletedAt: source.at });
  saveRecord(publish, type, record, { ...source, before, now: source.at, isDeleted: true });
}
