import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { isMovement } from '#domain/metrics.ts';
import type { RecordState } from '#domain/record-state.ts';
import { countState, isNewer, needsAllPoints, type CountedChange } from '#domain/tracked-record.ts';
import { addToMetrics } from '#persistence/metrics.ts';
import type { LockedProject } from '#persistence/projects.ts';
import { addPoints, readPoints } from '#persistence/subscription-points.ts';
import { addToSubscriptionMovements } from '#persistence/subscription-movements.ts';
import { insertTrackedRecords, updateTrackedRecords } from '#persistence/tracked-records.ts';
import { readCountedRecords, type ChangedRecord, type CountedRow } from './read-counted-records.ts';

interface Change extends CountedChange, CountedRow {}

/** Selects the generations of a project that are written. */
export type SelectGenerations = (project: LockedProject) => readonly number[];

interface CountOptions {
  /** Default: the current generation and the one that a rebuild is making. */
  readonly generations?: SelectGenerations;
  /** Whether the states come from events, so that the project's `newestEventAt` advances. Default: true. */
  readonly areEvents?: boolean;
}

/**
 * Brings the metrics up to date with a batch of states, in the caller's transaction and with a fixed number of statements:
 * each record's former contributions are replaced by its present ones. A version that is not newer than the counted one
 * changes nothing but what was shown of a subscription, so states may repeat and come in any order.
 *
 * Returns for each project when the newest state was recorded that the current generation had not counted.
 */
export async function countRecords(
  tx: EntityManager,
  states: readonly RecordState[],
  { generations, areEvents = true }: CountOptions = {},
): Promise<ReadonlyMap<ProjectId, Date>> {
  const records = await readCountedRecords(tx, states, { areEvents });
  const rows = records.flatMap(it =>
    (generations ? selectRows(it, generations) : it.rows).map(row => ({ ...row, newest: it.newest })),
  );
  const isLonger = await addPoints(
    tx,
    rows.map(({ key, newest }) => ({ key, points: newest.shown })),
  );
  const changed = rows.filter(({ key, counted, newest }) => isLonger.has(key) || isNewer(counted, newest));
  const points = await readPoints(
    tx,
    changed.filter(({ counted, newest }) => needsAllPoints(counted, newest)).map(({ key }) => key),
  );
  const changes = changed.map(({ key, counted, newest }): Change => {
    return { key, counted, ...countState(counted, newest, points.get(key)) };
  });
  await insertTrackedRecords(
    tx,
    changes.filter(({ counted }) => counted === undefined),
  );
  await updateTrackedRecords(
    tx,
    changes.filter(({ counted }) => counted !== undefined),
  );
  await addToMetrics(tx, changes.flatMap(metricChanges));
  await addToSubscriptionMovements(
    tx,
    changes.flatMap(({ key, delta }) => delta.filter(isMovement).map(change => ({ key, change }))),
  );
  return newestUncounted(records);
}

function selectRows({ project, rows }: ChangedRecord, generations: SelectGenerations): readonly CountedRow[] {
  const selected = generations(project);
  return rows.filter(({ key }) => selected.includes(key.generation));
}

const metricChanges = ({ key: { teamId, projectId, generation }, delta }: Change) =>
  delta.map(change => ({ ...change, teamId, projectId, generation }));

function newestUncounted(records: readonly ChangedRecord[]): ReadonlyMap<ProjectId, Date> {
  const newestAt = new Map<ProjectId, Date>();
  for (const { newest, rows } of records) {
    const { projectId, recordedAt, version } = newest;
    if ((rows[0]?.counted?.version ?? 0) >= version) continue;
    const other = newestAt.get(projectId);
    newestAt.set(projectId, other && other > recordedAt ? other : recordedAt);
  }
  return newestAt;
}
