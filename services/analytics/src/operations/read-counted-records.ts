import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import type { RecordState } from '#domain/record-state.ts';
import type { CountedState } from '#domain/tracked-record.ts';
import { lockProjects, type LockedProject } from '#persistence/projects.ts';
import { readTrackedRecords, type RecordKey } from '#persistence/tracked-records.ts';

/** What one generation counts of a record. */
export interface CountedRow {
  readonly key: RecordKey;
  /** Undefined while there is no such row. */
  readonly counted: CountedState | undefined;
}

/** The newest state of a record in a batch, with all that the batch shows of it, and what is counted of it. */
export interface ChangedRecord {
  readonly newest: RecordState;
  readonly project: LockedProject;
  /** The one of the current generation first. */
  readonly rows: readonly CountedRow[];
}

interface ReadOptions {
  /** Whether to advance `newestEventAt` of the projects. */
  readonly areEvents: boolean;
}

/**
 * Finds the newest state of each record, locks their projects, and reads what every generation counts of the records. From
 * here on nobody else writes their rows until the caller's transaction ends.
 */
export async function readCountedRecords(
  tx: EntityManager,
  states: readonly RecordState[],
  { areEvents }: ReadOptions,
): Promise<ChangedRecord[]> {
  const projects = await lockAll(tx, states, { areEvents });
  const located = newestStates(states).map(newest => {
    const project = projects.get(newest.projectId);
    if (!project) throw new Error('A project of the batch was not locked.');
    return { newest, project, keys: recordKeys(newest, project) };
  });
  const counted = await readTrackedRecords(
    tx,
    located.flatMap(({ keys }) => keys),
  );
  return located.map(({ newest, project, keys }) => ({
    newest,
    project,
    rows: keys.map(key => ({ key, counted: counted.get(key) })),
  }));
}

function newestStates(states: readonly RecordState[]): RecordState[] {
  const recordOf = ({ projectId, kind, id }: RecordState) => `${projectId} ${kind} ${id}`;
  return [...Map.groupBy(states, recordOf).values()].map(all => {
    const newest = all.reduce((one, other) => (other.version > one.version ? other : one));
    return all.length === 1 ? newest : { ...newest, shown: all.flatMap(({ shown }) => shown) };
  });
}

async function lockAll(
  tx: EntityManager,
  states: readonly RecordState[],
  { areEvents }: ReadOptions,
): Promise<ReadonlyMap<ProjectId, LockedProject>> {
  const projects = new Map<ProjectId, Parameters<typeof lockProjects>[1][number]>();
  for (const { teamId, projectId, recordedAt } of states) {
    const newest = projects.get(projectId)?.newestEventAt ?? null;
    const isNewer = areEvents && (newest === null || recordedAt > newest);
    if (isNewer || !projects.has(projectId))
      projects.set(projectId, { teamId, projectId, newestEventAt: isNewer ? recordedAt : null });
  }
  const locked = await lockProjects(tx, [...projects.values()]);
  return new Map(locked.map(project => [project.projectId, project]));
}

/** The rows of a record in all generations. */
const recordKeys = ({ teamId, projectId, kind, id }: RecordState, project: LockedProject): RecordKey[] =>
  [project.generation, project.buildingGeneration ?? []]
    .flat()
    .map(generation => ({ teamId, projectId, generation, kind, id }));
