import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { withVersions, type Chapter } from '#domain/chapters.ts';
import type { Sighting } from '#domain/sighting.ts';
import { fold, leave, type FoldedSubject } from '#domain/subject.ts';
import { chaptersKey, keepChapters, readChapters } from '#persistence/chapters.ts';
import { addToFigures } from '#persistence/figures.ts';
import { holdProjects, type HeldProject } from '#persistence/projects.ts';
import { NO_PROJECT, type SubjectProject } from '#persistence/subject.entity.ts';
import {
  holdWebhookEvents,
  keepSubjects,
  readSubjects,
  type SubjectKey,
  type SubjectRow,
} from '#persistence/subjects.ts';

/** All that a batch saw of one subject. */
interface SeenSubject {
  readonly newest: Sighting;
  readonly versions: readonly Chapter[];
}

interface Change {
  readonly key: SubjectKey;
  readonly folded: FoldedSubject;
}

/** Which of a held project's rows are written. */
export type ChooseGenerations = (project: HeldProject) => readonly number[];

interface FollowOptions {
  /** Those that are shown and those that a rebuild is making, unless told. */
  readonly write?: ChooseGenerations;
  /** Whether the states are news, whose time the project's figures then include; they are unless told. */
  readonly areNews?: boolean;
}

const generationsOf = ({ generation, building }: HeldProject): readonly number[] =>
  building === null ? [generation] : [generation, building];

/**
 * Brings the figures up to all these states, in the caller's transaction and with one statement for each table: what a
 * subject added before is taken back and what it adds now is put in, as one difference. A state that is not newer than
 * the one seen changes nothing, so states may come in any order and any number of times.
 *
 * Answers, by project, when the newest of the states was recorded that the rows shown had not seen.
 */
export async function followSubjects(
  tx: EntityManager,
  sightings: readonly Sighting[],
  { write = generationsOf, areNews = true }: FollowOptions = {},
): Promise<ReadonlyMap<ProjectId, Date>> {
  const seen = bySubject(sightings);
  const eventRows = await holdWebhookEvents(
    tx,
    seen.map(({ newest }) => newest).filter(({ kind }) => kind === 'webhook-event'),
  );
  const held = await holdAll(tx, areNews ? sightings : sightings.map(undated), eventRows);
  const rowsOfEvents = Map.groupBy(eventRows, eventKey);
  const rowsElsewhere = ({ newest }: SeenSubject) =>
    newest.kind === 'webhook-event'
      ? (rowsOfEvents.get(eventKey(newest)) ?? []).filter(row => row.projectId !== placeOf(newest))
      : [];
  const present = seen.filter(it => rowsElsewhere(it).every(row => row.subject.version <= it.newest.version));

  const keys = present.flatMap(({ newest }) => keysOf(newest, held, generationsOf));
  const others = await readSubjects(
    tx,
    keys.filter(({ kind }) => kind !== 'webhook-event'),
  );
  const known = new Map([...eventRows, ...others].map(row => [keyText(row), row.subject]));
  const chapters = await keepVersions(tx, present);

  const changes = present.flatMap((it): Change[] => [
    ...keysOf(it.newest, held, write).flatMap(key => {
      const folded = fold(known.get(keyText(key)), it.newest, chapters.get(chaptersKey(key)) ?? []);
      return folded ? [{ key, folded }] : [];
    }),
    ...rowsElsewhere(it).map(row => ({ key: row, folded: leave(row.subject, it.newest) })),
  ]);
  await keepSubjects(
    tx,
    changes.map(({ key, folded: { subject } }) => ({ ...onlyKey(key), subject })),
  );
  await addToFigures(tx, changes.flatMap(additionsOf));
  return newestUnseen(present, held, known);
}

/** The newest state of each subject, with every version that was seen of it. */
function bySubject(sightings: readonly Sighting[]): SeenSubject[] {
  // A webhook event may move to another project; all else stays where it is, and a code is unique there only.
  const subjectOf = ({ teamId, projectId, kind, id }: Sighting) =>
    `${teamId} ${kind} ${kind === 'webhook-event' ? '' : projectId} ${id}`;
  return [...Map.groupBy(sightings, subjectOf).values()].flatMap(all => {
    const newest = all.toSorted((one, other) => other.version - one.version)[0];
    return newest ? [{ newest, versions: all.flatMap(({ chapter }) => chapter ?? []) }] : [];
  });
}

/** Holds the projects that states and rows of events are of, each with the time of its newest state. */
async function holdAll(
  tx: EntityManager,
  sightings: readonly (Pick<Sighting, 'teamId' | 'projectId'> & { readonly recordedAt: Date | null })[],
  eventRows: readonly SubjectRow[],
): Promise<ReadonlyMap<SubjectProject, HeldProject>> {
  const projects = new Map<ProjectId, Parameters<typeof holdProjects>[1][number]>();
  for (const { teamId, projectId } of eventRows)
    if (projectId !== NO_PROJECT) projects.set(projectId, { teamId, projectId, newestAt: null });
  for (const { teamId, projectId, recordedAt } of sightings) {
    if (projectId === null) continue;
    const known = projects.get(projectId)?.newestAt ?? null;
    const newestAt = recordedAt && latest(known, recordedAt);
    projects.set(projectId, { teamId, projectId, newestAt });
  }
  const held = await holdProjects(tx, [...projects.values()]);
  return new Map(held.map(project => [project.projectId, project]));
}

/** Puts the versions seen of subscriptions into their chapters; answers the chapters by `chaptersKey`. */
async function keepVersions(tx: EntityManager, seen: readonly SeenSubject[]): Promise<Map<string, readonly Chapter[]>> {
  const told = seen.flatMap(({ newest: { teamId, projectId, id }, versions }) =>
    projectId !== null && versions.length > 0 ? [{ teamId, projectId, id, versions }] : [],
  );
  const before = await readChapters(tx, told);
  const after = told.map(({ versions, ...key }) => ({
    ...key,
    chapters: withVersions(before.get(chaptersKey(key)) ?? [], versions),
  }));
  await keepChapters(tx, after);
  return new Map(after.map(it => [chaptersKey(it), it.chapters]));
}

/** Where rows of a subject stand; one that belongs to no project has one row, so that its version is known. */
function keysOf(
  newest: Sighting,
  held: ReadonlyMap<SubjectProject, HeldProject>,
  choose: ChooseGenerations,
): SubjectKey[] {
  const { teamId, kind, id } = newest;
  const project = held.get(placeOf(newest));
  const generations = project ? choose(project) : [0];
  return generations.map(generation => ({ teamId, projectId: placeOf(newest), generation, kind, id }));
}

function additionsOf({ key: { teamId, projectId, generation }, folded }: Change) {
  return projectId === NO_PROJECT ? [] : folded.additions.map(share => ({ ...share, teamId, projectId, generation }));
}

function newestUnseen(
  seen: readonly SeenSubject[],
  held: ReadonlyMap<SubjectProject, HeldProject>,
  known: ReadonlyMap<string, { readonly version: number }>,
): ReadonlyMap<ProjectId, Date> {
  const newest = new Map<ProjectId, Date>();
  for (const { newest: sighting } of seen) {
    const { projectId, recordedAt, version } = sighting;
    const [shown] = keysOf(sighting, held, ({ generation }) => [generation]);
    if (projectId === null || !shown || (known.get(keyText(shown))?.version ?? 0) >= version) continue;
    newest.set(projectId, latest(newest.get(projectId) ?? null, recordedAt));
  }
  return newest;
}

const placeOf = ({ projectId }: Sighting): SubjectProject => projectId ?? NO_PROJECT;
const undated = ({ teamId, projectId }: Sighting) => ({ teamId, projectId, recordedAt: null });
const eventKey = ({ teamId, id }: { readonly teamId: string; readonly id: string }) => `${teamId} ${id}`;
const onlyKey = ({ teamId, projectId, generation, kind, id }: SubjectKey): SubjectKey => ({
  teamId,
  projectId,
  generation,
  kind,
  id,
});
const keyText = (key: SubjectKey): string => Object.values(onlyKey(key)).join(' ');

const latest = (one: Date | null, other: Date): Date => (one && one > other ? one : other);
