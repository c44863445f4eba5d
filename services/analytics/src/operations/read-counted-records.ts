import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { RecordState } from '#domain/record-state.ts';
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

/** The newest state of a record in a batch, with all that the batch shows of it, and what is counted of it. */
export interface ChangedRecord {
  readonly newest: RecordState;
  /** Undefined for a webhook event without a project. */
  readonly project: LockedProject | undefined;
  /** The rows in the project of the newest state: the one of the current generation first. */
  readonly rows: readonly CountedRow[];
  /** The rows of a webhook event in projects that it has left or not reached yet. */
  readonly elsewhere: readonly RecordRow[];
}

interface ReadOptions {
  /** Whether to advance `newestEventAt` of the projects. */
  readonly areEvents: boolean;
}

/**
 * Finds the newest state of each record, locks their projects and those in which webhook events stand now, and reads what every
 * generation counts of the records. From here on nobody else writes their rows until the caller's transaction ends.
 */
export async function readCountedRecords(
  tx: EntityManager,
  states: readonly RecordState[],
  { areEvents }: ReadOptions,
): Promise<ChangedRecord[]> {
  const changed = newestStates(states);
  const events = changed.filter(({ kind }) => kind === 'webhook-event');
  const eventRows = await lockWebhookEvents(tx, events);
  const projects = await lockAll(tx, states, [...eventRows.values()].flat(), { areEvents });

  const located = changed.map(newest => {
    const project = projects.get(projectOf(newest));
    return { newest, project, keys: recordKeys(newest, project) };
  });
  const otherKeys = located.flatMap(({ newest, keys }) => (newest.kind === 'webhook-event' ? [] : keys));
  const counted = await readTrackedRecords(tx, otherKeys);
  return located.map(({ newest, project, keys }) => {
    const ofEvent = eventRows.get(newest) ?? [];
    const stateOf = (key: RecordKey) => counted.get(key) ?? ofEvent.find(row => isSameRow(row.key, key))?.state;
    return {
      newest,
      project,
      rows: keys.map(key => ({ key, counted: stateOf(key) })),
      elsewhere: ofEvent.filter(({ key }) => key.projectId !== projectOf(newest)),
    };
  });
}

function newestStates(states: readonly RecordState[]): RecordState[] {
  // A webhook event can move to another project. Other records can't, and a referral code is unique in its project only.
  const recordOf = ({ teamId, projectId, kind, id }: RecordState) =>
    kind === 'webhook-event' ? `${teamId} ${kind} ${id}` : `${projectId} ${kind} ${id}`;
  return [...Map.groupBy(states, recordOf).values()].map(all => {
    const newest = all.reduce((one, other) => (other.version > one.version ? other : one));
    return all.length === 1 ? newest : { ...newest, shown: all.flatMap(({ shown }) => shown) };
  });
}

async function lockAll(
  tx: EntityManager,
  states: readonly RecordState[],
  eventRows: readonly RecordRow[],
  { areEvents }: ReadOptions,
): Promise<ReadonlyMap<ProjectIdOrNone, LockedProject>> {
  const projects = new Map<ProjectId, Parameters<typeof lockProjects>[1][number]>();
  for (const { key } of eventRows) {
    const { teamId, projectId } = key;
    if (projectId !== NO_PROJECT) projects.set(projectId, { teamId, projectId, newestEventAt: null });
  }
  for (const { teamId, projectId, recordedAt } of states) {
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
function recordKeys({ teamId, projectId, kind, id }: RecordState, project: LockedProject | undefined): RecordKey[] {
  const generations = [project?.generation ?? 0, project?.buildingGeneration ?? []].flat();
  return generations.map(generation => ({ teamId, projectId: projectId ?? NO_PROJECT, generation, kind, id }));
}

const projectOf = ({ projectId }: RecordState): ProjectIdOrNone => projectId ?? NO_PROJECT;

const isSameRow = (one: RecordKey, other: RecordKey): boolean =>
  one.projectId === other.projectId && one.generation === other.generation;
