import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { Observation } from '#domain/observation.ts';
import type { RevenuePeriod } from '#domain/revenue-periods.ts';
import type { CountedState } from '#domain/tracked-record.ts';
import { lockProjects, type LockedProject } from '#persistence/projects.ts';
import { NO_PROJECT, type ProjectIdOrNone } from '#persistence/tracked-record.entity.ts';
import { lockWebhookEvents, readTrackedRecords, type RecordKey, type RecordRow } from '#persistence/tracked-records.ts';

/** What one generation counts of a record. */
export interface CountedRow {
  readonly key: RecordKey;
  /** Undefined while there is no such row. */
  readonly counted: CountedState | undefined;
}

/** All observations of one record in a batch, and what is counted of it. */
export interface ObservedRecord {
  readonly newest: Observation;
  /** The versions seen of a subscription; empty for other kinds. */
  readonly versions: readonly RevenuePeriod[];
  /** Undefined for a webhook event without a project. */
  readonly project: LockedProject | undefined;
  /** The rows in the project of the newest observation: the one of the current generation first. */
  readonly rows: readonly CountedRow[];
  /** The rows of a webhook event in projects that it has left or not reached yet. */
  readonly elsewhere: readonly RecordRow[];
}

interface ReadOptions {
  /** Whether to advance `newestEventAt` of the projects. */
  readonly areEvents: boolean;
}

/**
 * Groups observations by record, locks their projects and those in which webhook events stand now, and reads what every
 * generation counts of the records. From here on nobody else writes their rows until the caller's transaction ends.
 */
export async function readObservedRecords(
  tx: EntityManager,
  observations: readonly Observation[],
  { areEvents }: ReadOptions,
): Promise<ObservedRecord[]> {
  const observed = byRecord(observations);
  const events = observed.map(({ newest }) => newest).filter(({ kind }) => kind === 'webhook-event');
  const eventRows = await lockWebhookEvents(tx, events);
  const projects = await lockAll(tx, observations, [...eventRows.values()].flat(), { areEvents });

  const located = observed.map(it => {
    const project = projects.get(projectOf(it.newest));
    return { ...it, project, keys: recordKeys(it.newest, project) };
  });
  const otherKeys = located.flatMap(({ newest, keys }) => (newest.kind === 'webhook-event' ? [] : keys));
  const counted = await readTrackedRecords(tx, otherKeys);
  return located.map(({ newest, versions, project, keys }) => {
    const ofEvent = eventRows.get(newest) ?? [];
    const stateOf = (key: RecordKey) => counted.get(key) ?? ofEvent.find(row => isSameRow(row.key, key))?.state;
    return {
      newest,
      versions,
      project,
      rows: keys.map(key => ({ key, counted: stateOf(key) })),
      elsewhere: ofEvent.filter(({ key }) => key.projectId !== projectOf(newest)),
    };
  });
}

/** The newest observation of each record, and every version that was observed. */
function byRecord(observations: readonly Observation[]): Pick<ObservedRecord, 'newest' | 'versions'>[] {
  // A webhook event can move to another project. Other records can't, and a referral code is unique in its project only.
  const recordOf = ({ teamId, projectId, kind, id }: Observation) =>
    kind === 'webhook-event' ? `${teamId} ${kind} ${id}` : `${projectId} ${kind} ${id}`;
  return [...Map.groupBy(observations, recordOf).values()].map(all => ({
    newest: all.reduce((one, other) => (other.version > one.version ? other : one)),
    versions: all.flatMap(({ revenuePeriod }) => revenuePeriod ?? []),
  }));
}

async function lockAll(
  tx: EntityManager,
  observations: readonly Observation[],
  eventRows: readonly RecordRow[],
  { areEvents }: ReadOptions,
): Promise<ReadonlyMap<ProjectIdOrNone, LockedProject>> {
  const projects = new Map<ProjectId, Parameters<typeof lockProjects>[1][number]>();
  for (const { key } of eventRows) {
    const { teamId, projectId } = key;
    if (projectId !== NO_PROJECT) projects.set(projectId, { teamId, projectId, newestEventAt: null });
  }
  for (const { teamId, projectId, recordedAt } of observations) {
    if (projectId === null) continue;
    const newest = projects.get(projectId)?.newestEventAt ?? null;
    const isNewer = areEvents && (newest === null || recordedAt > newest);
    if (isNewer || !projects.has(projectId))
      projects.set(projectId, { teamId, projectId, newestEventAt: isNewer ? recordedAt : null });
  }
  const locked = await lockProjects(tx, [...projects.values()]);
  return new Map(locked.map(project => [project.projectId, project]));
}

/** The rows of a record in all generations. A record without a project has a single row, which stores its version. */
function recordKeys({ teamId, projectId, kind, id }: Observation, project: LockedProject | undefined): RecordKey[] {
  const generations = [project?.generation ?? 0, project?.buildingGeneration ?? []].flat();
  return generations.map(generation => ({ teamId, projectId: projectId ?? NO_PROJECT, generation, kind, id }));
}

const projectOf = ({ projectId }: Observation): ProjectIdOrNone => projectId ?? NO_PROJECT;

const isSameRow = (one: RecordKey, other: RecordKey): boolean =>
  one.projectId === other.projectId && one.generation === other.generation;
