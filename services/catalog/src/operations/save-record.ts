import type { Publish } from '@billing/messaging/outbox';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { publishResource, type Resource, type Source } from '@billing/service/publish-resource';
import { hasContent } from '#domain/changes.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';

/** Publishes that a record was created. */
export function publishCreated<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  source: Source,
): void {
  publish(type.created, record.teamId, type.toState(record), source.trace);
  publishForTenants(type, publish, record, { ...source, before: null });
}

/** Saves what the processor has of a record; publishes it and returns true if anything differs. */
export function saveContent<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  { content, ...source }: Source & { readonly content: Partial<Row> },
): boolean {
  if (hasContent(record, content)) return false;
  const before = type.resource?.toJson(record) ?? null;
  Object.assign(record, content, { version: record.version + 1 });
  publish(type.updated, record.teamId, type.toState(record), source.trace);
  publishForTenants(type, publish, record, { ...source, before });
  return true;
}

/** Marks a record as deleted, for good, and publishes that. */
export function saveDeleted<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  source: Source,
): void {
  Object.assign(record, { deletedAt: source.at, version: record.version + 1 });
  publish(type.deleted, record.teamId, type.toState(record), source.trace);
  publishForTenants(type, publish, record, {
    ...source,
    before: type.resource?.toJson(record) ?? null,
    isDeleted: true,
  });
}

/** Publishes a change as an event for tenants, where there is one. */
function publishForTenants<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  { resource }: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  change: Source & { readonly before: Resource | null; readonly isDeleted?: boolean },
): void {
  if (resource)
    publishResource(publish, record, {
      ...change,
      object: { type: resource.type, id: record.id },
      after: resource.toJson(record),
    });
}
