import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import type { ProjectId } from '@billing/contracts/ids';
import { isHandled, processorEvent } from '@billing/contracts/processor-events';
import { newOutboxRow, recordAll, rowsOfMany, type OutboxRow } from '@billing/messaging/outbox';
import { currentTrace, type TraceCarrier } from '@billing/messaging/trace-carrier';
import type { Payload } from '#domain/payload.ts';
import { withoutPayload } from './complete-facts.ts';
import { RECORD_COLUMNS, recordOf, type RecordRow } from '#persistence/record-row.ts';

/** An event's row with the trace of what brought it. */
export interface RoutedRow extends RecordRow {
  readonly trace: TraceCarrier;
}

/** Columns that a `RoutedRow` is read from. */
export const ROUTED_COLUMNS = `${RECORD_COLUMNS}, e.trace`;

interface Publication {
  readonly row: RoutedRow;
  readonly content: Pick<Payload, 'object' | 'previousAttributes'>;
  readonly projects: readonly ProjectId[];
}

/** Records, in the caller's transaction, one fact per project that gets the event. */
export async function recordFacts(tx: EntityManager, publications: readonly Publication[]): Promise<void> {
  await recordAll(
    tx,
    publications.flatMap(it => it.projects.map(project => factOf(it, project))),
  );
}

/** Records how events' records changed; those without a project concern nobody else. */
export async function recordChanges(tx: EntityManager, rows: readonly RecordRow[]): Promise<void> {
  await recordAll(tx, changesOf(rows));
}

function changesOf(rows: readonly RecordRow[]): OutboxRow[] {
  const trace = currentTrace();
  const told = rows.filter(row => row.project_id !== null);
  return rowsOfMany(
    WebhookEventChanged,
    told.map(row => ({ teamId: row.team_id, item: recordOf(row), trace })),
    webhookEvents => ({ webhookEvents }),
  );
}

function factOf({ row, content }: Publication, projectId: ProjectId): OutboxRow {
  if (!isHandled(row.type) || row.routed_by === null)
    throw new Error(`Event ${row.id} of type ${row.type} was never routed.`);
  const { object, previousAttributes } = content;
  const data = {
    eventId: row.id,
    projectId,
    apiVersion: row.api_version,
    livemode: row.livemode,
    createdAt: new Date(row.created_ms),
    routedBy: row.routed_by,
    object,
    previousAttributes,
  };
  const fact = newOutboxRow(processorEvent(row.type), row.team_id, data, row.trace);
  return { ...fact, written: withoutPayload(fact.data) };
}
