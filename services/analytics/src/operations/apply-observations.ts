import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { Observation } from '#domain/observation.ts';
import type { RevenuePeriod } from '#domain/revenue-periods.ts';
import { countObservation, stopCounting, type CountedChange, type CountedState } from '#domain/tracked-record.ts';
import { addToMetrics } from '#persistence/metrics.ts';
import { lockProjects, type LockedProject } from '#persistence/projects.ts';
import { subscriptionKey } from '#persistence/revenue-periods.ts';
import { NO_PROJECT, type ProjectIdOrNone } from '#persistence/tracked-record.entity.ts';
import {
  insertTrackedRecords,
  lockWebhookEvents,
  readTrackedRecords,
  updateTrackedRecords,
  type RecordKey,
  type RecordRow,
} from '#persistence/tracked-records.ts';
import { saveRevenueVersions, type ObservedVersions } from './save-revenue-versions.ts';

/** All observations of one record in a batch. */
interface ObservedRecord {
  readonly newest: Observation;
  /** The versions seen of a subscription; empty for other kinds. */
  readonly versions: readonly RevenuePeriod[];
}

/** One row of a record: what a generation counts of it. */
interface CountedRow {
  readonly key: RecordKey;
  /** Undefined while there is no such row. */
  readonly counted: CountedState | undefined;
}

/** An observed record with its rows, the one of the current generation first. */
interface CountedRecord extends ObservedRecord {
  readonly rows: readonly CountedRow[];
}

interface Change extends CountedChange, CountedRow {}

type LockedProjects = ReadonlyMap<ProjectIdOrNone, LockedProject>;

/** Selects the generations of a project that are written. */
export type SelectGenerations = (project: LockedProject) => readonly number[];

interface ApplyOptions {
  /** Default: the current generation and the one that a rebuild is making. */
  readonly generations?: SelectGenerations;
  /** Whether the observations come from events, so that the project's `newestEventAt` advances. Default: true. */
  readonly areEvents?: boolean;
}

const allGenerations: SelectGenerations = ({ generation, buildingGeneration }) =>
  buildingGeneration === null ? [generation] : [generation, buildingGeneration];

/**
 * Brings the metrics up to date with a batch of observations, in the caller's transaction and with one statement per
 * table: each record's former contributions are replaced by its present ones. A version that is not newer than the
 * counted one changes nothing, so observations may repeat and come in any order.
 *
 * Returns for each project when the newest observation was recorded that the current generation had not counted.
 */
export async function applyObservations(
  tx: EntityManager,
  observations: readonly Observation[],
  { generations = allGenerations, areEvents = true }: ApplyOptions = {},
): Promise<ReadonlyMap<ProjectId, Date>> {
  const observed = byRecord(observations);
  const eventRows = await lockWebhookEvents(
    tx,
    observed.map(({ newest }) => newest).filter(({ kind }) => kind === 'webhook-event'),
  );
  const locked = await lockAll(tx, areEvents ? observations : observations.map(withoutTime), eventRows);

  const rowsByEvent = Map.groupBy(eventRows, eventKey);
  const rowsElsewhere = ({ newest }: ObservedRecord) =>
    newest.kind === 'webhook-event'
      ? (rowsByEvent.get(eventKey(newest)) ?? []).filter(row => row.projectId !== projectOf(newest))
      : [];
  const upToDate = observed.filter(it => rowsElsewhere(it).every(row => row.state.version <= it.newest.version));

  const records = await readCounted(tx, upToDate, locked, eventRows);
  const written = ({ newest, rows }: CountedRecord) => {
    const selected = generationsOf(newest, locked, generations);
    return rows.filter(({ key }) => selected.includes(key.generation));
  };
  const periods = await saveRevenueVersions(
    tx,
    records.flatMap(it => observedVersions(it, written(it))),
  );
  const changes = records.flatMap((it): Change[] => [
    ...written(it).flatMap(({ key, counted }) => {
      const change = countObservation(counted, it.newest, periods.get(subscriptionKey(key)));
      return change ? [{ key, counted, ...change }] : [];
    }),
    ...rowsElsewhere(it).map(row => ({ key: row, counted: row.state, ...stopCounting(row.state, it.newest) })),
  ]);
  const isNew = ({ counted }: Change) => counted === undefined;
  await insertTrackedRecords(tx, changes.filter(isNew).map(toRow));
  await updateTrackedRecords(tx, changes.filter(it => !isNew(it)).map(toRow));
  await addToMetrics(tx, changes.flatMap(metricChanges));
  return newestUncounted(records);
}

/** The newest observation of each record, and every version that was observed. */
function byRecord(observations: readonly Observation[]): ObservedRecord[] {
  // A webhook event can move to another project. Other records can't, and a referral code is unique in its project only.
  const recordOf = ({ teamId, projectId, kind, id }: Observation) =>
    `${teamId} ${kind} ${kind === 'webhook-event' ? '' : projectId} ${id}`;
  return [...Map.groupBy(observations, recordOf).values()].map(all => ({
    newest: all.reduce((one, other) => (other.version > one.version ? other : one)),
    versions: all.flatMap(({ revenuePeriod }) => revenuePeriod ?? []),
  }));
}

/** Locks the projects of all observations, and those in which webhook events stand now. */
async function lockAll(
  tx: EntityManager,
  observations: readonly (Pick<Observation, 'teamId' | 'projectId'> & { readonly recordedAt: Date | null })[],
  eventRows: readonly RecordRow[],
): Promise<LockedProjects> {
  const projects = new Map<ProjectId, Parameters<typeof lockProjects>[1][number]>();
  for (const { teamId, projectId } of eventRows)
    if (projectId !== NO_PROJECT) projects.set(projectId, { teamId, projectId, newestEventAt: null });
  for (const { teamId, projectId, recordedAt } of observations) {
    if (projectId === null) continue;
    const newestEventAt = recordedAt && latest(projects.get(projectId)?.newestEventAt ?? null, recordedAt);
    projects.set(projectId, { teamId, projectId, newestEventAt });
  }
  const locked = await lockProjects(tx, [...projects.values()]);
  return new Map(locked.map(project => [project.projectId, project]));
}

/** Reads what every generation counts of the observed records. */
async function readCounted(
  tx: EntityManager,
  observed: readonly ObservedRecord[],
  locked: LockedProjects,
  eventRows: readonly RecordRow[],
): Promise<CountedRecord[]> {
  const keysOf = observed.map(({ newest }) => recordKeys(newest, locked));
  const rows = await readTrackedRecords(
    tx,
    keysOf.flat().filter(({ kind }) => kind !== 'webhook-event'),
  );
  const counted = new Map([...eventRows, ...rows].map(row => [keyText(row), row.state]));
  return observed.map((it, index) => {
    const keys = keysOf[index] ?? [];
    return { ...it, rows: keys.map(key => ({ key, counted: counted.get(keyText(key)) })) };
  });
}

/** What `saveRevenueVersions` needs of a subscription; nothing for other kinds. */
function observedVersions({ newest, versions }: CountedRecord, written: readonly CountedRow[]): ObservedVersions[] {
  const { teamId, projectId, id } = newest;
  if (projectId === null || versions.length === 0) return [];
  return [{ teamId, projectId, id, versions, counted: written.map(({ counted }) => counted) }];
}

/** The rows of an observed record in all generations, the current one first. */
function recordKeys(newest: Observation, locked: LockedProjects): RecordKey[] {
  const { teamId, kind, id } = newest;
  return generationsOf(newest, locked, allGenerations).map(generation => ({
    teamId,
    projectId: projectOf(newest),
    generation,
    kind,
    id,
  }));
}

/** A record without a project has a single row, which stores its version. */
function generationsOf(newest: Observation, locked: LockedProjects, select: SelectGenerations): readonly number[] {
  const project = locked.get(projectOf(newest));
  return project ? select(project) : [0];
}

function metricChanges({ key: { teamId, projectId, generation }, delta }: Change) {
  return projectId === NO_PROJECT ? [] : delta.map(change => ({ ...change, teamId, projectId, generation }));
}

function newestUncounted(records: readonly CountedRecord[]): ReadonlyMap<ProjectId, Date> {
  const newestAt = new Map<ProjectId, Date>();
  for (const { newest, rows } of records) {
    const { projectId, recordedAt, version } = newest;
    if (projectId === null || (rows[0]?.counted?.version ?? 0) >= version) continue;
    newestAt.set(projectId, latest(newestAt.get(projectId) ?? null, recordedAt));
  }
  return newestAt;
}

const toRow = ({ key, state }: Change): RecordRow => ({ ...key, state });
const projectOf = ({ projectId }: Observation): ProjectIdOrNone => projectId ?? NO_PROJECT;
const withoutTime = ({ teamId, projectId }: Observation) => ({ teamId, projectId, recordedAt: null });
const eventKey = ({ teamId, id }: { readonly teamId: string; readonly id: string }) => `${teamId} ${id}`;
const keyText = ({ teamId, projectId, generation, kind, id }: RecordKey): string =>
  `${teamId} ${projectId} ${generation} ${kind} ${id}`;

const latest = (one: Date | null, other: Date): Date => (one && one > other ? one : other);
