import type { Publish } from '@billing/messaging/outbox';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { Source } from '@billing/service/save-record';
import { hasContent } from '#domain/changes.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';
import { saveContent } from './save-record.ts';

/** A record as it was read at the processor, and its version here before that. */
export interface Reread<Snapshot> {
  readonly version: number;
  /** `missing` when the processor has deleted it: the event of that follows. */
  readonly snapshot: Snapshot | 'missing';
}

interface RecordEvent<Snapshot> {
  readonly snapshot: Snapshot;
  readonly source: Source;
  readonly reread: Reread<Snapshot> | null | undefined;
}

/**
 * Applies an event to its record. Returns false, with nothing changed, when only the processor knows which state holds, and
 * it was not read since the record last changed.
 */
export function applyEvent<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  record: Mirrored<Row>,
  { snapshot, source, reread }: RecordEvent<Snapshot>,
): boolean {
  const received = type.toContent(snapshot);
  record.processorCreatedAt ??= snapshot.createdAt;
  const shown = decideOnEvent(record, source.at, hasContent(record, received));
  // An event that shows no change, and is not that of a change of ours, tells of one that events do not contain.
  const isHidden = shown === 'confirm' && !record.awaitsWebhook && type.isWhole?.(snapshot) === false;
  const decision = isHidden ? 'reread' : shown;
  if (decision === 'ignore') return true;
  if (decision === 'reread' && reread?.version !== record.version) return false;
  const newest = decision === 'reread' && reread ? reread.snapshot : snapshot;
  if (newest === 'missing') return true;
  const current = type.toContent(newest);
  saveContent(type, publish, record, { ...source, content: current });
  record.processorUpdatedAt = later(record.processorUpdatedAt, source.at);
  if (hasContent(current, received)) record.awaitsWebhook = false;
  return true;
}
