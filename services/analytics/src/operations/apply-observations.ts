import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { Observation } from '#domain/observation.ts';
import { mergeRevenuePeriods, type RevenuePeriod } from '#domain/revenue-periods.ts';
import { countObservation, stopCounting, type CountedChange } from '#domain/tracked-record.ts';
import { addToMetrics } from '#persistence/metrics.ts';
import { lockProjects, type LockedProject } from '#persistence/projects.ts';
import { readRevenuePeriods, saveRevenuePeriods, subscriptionKey } from '#persistence/revenue-periods.ts';
import { NO_PROJECT, type ProjectIdOrNone } from '#persistence/tracked-record.entity.ts';
import {
  lockWebhookEvents,
  readTrackedRecords,
  saveTrackedRecords,
  type RecordKey,
  type RecordRow,
} from '#persistence/tracked-records.ts';

/** All observations of one record in a batch. */
interface ObservedRecord {
  readonly newest: Observation;
  /** The versions seen of a subscription; empty for other kinds. */
  readonly versions: readonly RevenuePeriod[];
}

interface Change extends CountedChange {
  readonly key: RecordKey;
}

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

  const counted = await readCounted(tx, upToDate, locked, eventRows);
  const periods = await saveVersions(tx, upToDate);
  const changes = upToDate.flatMap((it): Change[] => [
    ...keysOf(it.newest, locked, generations).flatMap(key => {
      const change = countObservation(counted.get(keyText(key)), it.newest, periods.get(subscriptionKey(key)) ?? []);
      return change ? [{ key, ...change }] : [];
    }),
    ...rowsElsewhere(it).map(row => ({ key: row, ...stopCounting(row.state, it.newest) })),
  ]);
  await saveTrackedRecords(
    tx,
    changes.map(({ key, state }) => ({ ...key, state })),
  );
  await addToMetrics(tx, changes.flatMap(metricChanges));
  return newestUncounted(upToDate, locked, counted);
}

/** The newest observation of each record, and every version that was observed. */
function byRecord(observations: readonly Observation[]): ObservedRecord[] {
  // A webhook event can move to another project. Other records can't, and a referral code is unique in its project only.
  const recordOf = ({ teamId, projectId, kind, id }: Observation) =>
    `${teamId} ${kind} ${kind === 'webhook-event' ? '' : projectId} ${id}`;
  return [...Map.groupBy(observations, recordOf).values()].flatMap(all => {
    const newest = all.toSorted((one, other) => other.version - one.version)[0];
    return newest ? [{ newest, versions: all.flatMap(({ revenuePeriod }) => revenuePeriod ?? []) }] : [];
  });
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

/** The counted states of observed records in every generation, by `keyText`. */
async function readCounted(
  tx: EntityManager,
  observed: readonly ObservedRecord[],
  locked: LockedProjects,
  eventRows: readonly RecordRow[],
) {
  const keys = observed.flatMap(({ newest }) => keysOf(newest, locked, allGenerations));
  const rows = await readTrackedRecords(
    tx,
    keys.filter(({ kind }) => kind !== 'webhook-event'),
  );
  return new Map([...eventRows, ...rows].map(row => [keyText(row), row.state]));
}

/** Merges observed versions into the revenue periods of their subscriptions; returns these by `subscriptionKey`. */
async function saveVersions(
  tx: EntityManager,
  observed: readonly ObservedRecord[],
): Promise<Map<string, readonly RevenuePeriod[]>> {
  const subscriptions = observed.flatMap(({ newest: { teamId, projectId, id }, versions }) =>
    projectId !== null && versions.length > 0 ? [{ teamId, projectId, id, versions }] : [],
  );
  const stored = await readRevenuePeriods(tx, subscriptions);
  const merged = subscriptions.map(({ versions, ...key }) => ({
    ...key,
    periods: mergeRevenuePeriods(stored.get(subscriptionKey(key)) ?? [], versions),
  }));
  await saveRevenuePeriods(tx, merged);
  return new Map(merged.map(it => [subscriptionKey(it), it.periods]));
}

/** The rows of an observed record. One without a project has a single row, which stores its version. */
function keysOf(newest: Observation, locked: LockedProjects, select: SelectGenerations): RecordKey[] {
  const { teamId, kind, id } = newest;
  const project = locked.get(projectOf(newest));
  const generations = project ? select(project) : [0];
  return generations.map(generation => ({ teamId, projectId: projectOf(newest), generation, kind, id }));
}

function metricChanges({ key: { teamId, projectId, generation }, delta }: Change) {
  return projectId === NO_PROJECT ? [] : delta.map(change => ({ ...change, teamId, projectId, generation }));
}

function newestUncounted(
  observed: readonly ObservedRecord[],
  locked: LockedProjects,
  counted: ReadonlyMap<string, { readonly version: number }>,
): ReadonlyMap<ProjectId, Date> {
  const newestAt = new Map<ProjectId, Date>();
  for (const { newest } of observed) {
    const { projectId, recordedAt, version } = newest;
    const [current] = keysOf(newest, locked, ({ generation }) => [generation]);
    if (projectId === null || !current || (counted.get(keyText(current))?.version ?? 0) >= version) continue;
    newestAt.set(projectId, latest(newestAt.get(projectId) ?? null, recordedAt));
  }
  return newestAt;
}

const projectOf = ({ projectId }: Observation): ProjectIdOrNone => projectId ?? NO_PROJECT;
const withoutTime = ({ teamId, projectId }: Observation) => ({ teamId, projectId, recordedAt: null });
const eventKey = ({ teamId, id }: { readonly teamId: string; readonly id: string }) => `${teamId} ${id}`;
const keyText = ({ teamId, projectId, generation, kind, id }: RecordKey): string =>
  `${teamId} ${projectId} ${generation} ${kind} ${id}`;

const latest = (one: Date | null, other: Date): Date => (one && one > other ? one : other);
