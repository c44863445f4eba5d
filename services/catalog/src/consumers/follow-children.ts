import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { lockObjects } from '@billing/database/advisory-locks';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { Publish } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import { namedProject } from '@billing/processor/metadata';
import { findLife, lifeAt, type Life } from '@billing/service/lives';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { MirrorOrigin } from '#operations/mirror-record.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from '#operations/record-types.ts';
import { followRecords, type FollowDependencies, type RecordEvent } from './follow-records.ts';

/** What was read for a new record: its parent, `missing` when the processor has deleted it, and what else it needs. */
interface Found<Parent, More> {
  readonly parent: Parent | 'missing';
  readonly more: More;
}

/** How new records are added that belong to others: prices of products, promotion codes of coupons. */
interface ChildRecords<
  Row extends CatalogRow,
  Snapshot extends CatalogSnapshot,
  ParentRow extends CatalogRow,
  Parent extends CatalogSnapshot,
  More,
> {
  readonly type: RecordType<Row, Snapshot>;
  readonly parentType: RecordType<ParentRow, Parent>;
  readonly namedIds: (scope: ProjectScope, snapshot: Snapshot) => readonly ProjectObject<Row['id']>[];
  readonly namedParentIds: (scope: ProjectScope, parent: Parent) => readonly ProjectObject<ParentRow['id']>[];
  /** The processor's id of the parent. */
  readonly parentIdOf: (snapshot: Snapshot) => string;
  /** Returns what a new record needs besides its parent; undefined for one where that has to be read. */
  readonly moreOf: (snapshot: Snapshot) => More | undefined;
  /** Reads that; null for a record that the project does not take. */
  readonly findMore?: (scope: ProjectScope, snapshot: Snapshot) => Promise<More | null>;
  readonly mirrorParent: (
    tx: EntityManager,
    publish: Publish,
    parent: Parent,
    origin: MirrorOrigin<ParentRow['id']>,
  ) => Promise<Mirrored<ParentRow>>;
  readonly mirror: (
    tx: EntityManager,
    publish: Publish,
    snapshot: Snapshot,
    origin: MirrorOrigin<Row['id']>,
    context: { readonly parent: Mirrored<ParentRow>; readonly more: More },
  ) => Promise<Mirrored<Row>>;
}

/** Follows records that belong to others. New ones are those of the project's parents, which are added with them. */
export function followChildren<
  Row extends CatalogRow,
  Snapshot extends CatalogSnapshot,
  ParentRow extends CatalogRow,
  Parent extends CatalogSnapshot,
  More,
>(children: ChildRecords<Row, Snapshot, ParentRow, Parent, More>, dependencies: FollowDependencies): Consumer {
  const { em, processors, logger, now } = dependencies;
  const { type, parentType, namedIds, namedParentIds, parentIdOf, moreOf, findMore, mirrorParent, mirror } = children;
  type Event = RecordEvent<Row['id'], Snapshot, Found<Parent, More | null>>;

  /** Our ids of the parent that was read, if we created it: while it has no processor id here, the event waits. */
  const namedIn = (scope: ProjectScope, found: Event['found']) =>
    !found || found.parent === 'missing' ? [] : namedParentIds(scope, found.parent);
  const parentOf = ({ scope, snapshot }: Event) => ({ scope, id: parentIdOf(snapshot) });

  const findForNew = async (scope: ProjectScope, snapshot: Snapshot) => {
    const processor = await processors.of(scope.teamId);
    const parent = await parentType.find(processor, parentIdOf(snapshot)).catch(missingOrThrow);
    const found = { parent, more: moreOf(snapshot) ?? (await findMore?.(scope, snapshot)) ?? null };
    const reserved = await parentType.rows.findReservedIds(em.fork(), namedIn(scope, found));
    if (reserved.size > 0) throw unavailable(`The ${parentType.name} of the ${type.name} is being created.`);
    return found;
  };

  const begin = async (tx: EntityManager, publish: Publish, events: readonly Event[]) => {
    const ids = events.map(parentOf);
    // Before rows, and children before parents, as everywhere in this service.
    await lockObjects(tx, parentType.name, ids);
    const reserved = await parentType.rows.findReservedIds(
      tx,
      events.flatMap(({ scope, found }) => namedIn(scope, found)),
    );
    const parents = await parentType.rows.findLives(tx, ids);

    return async (event: Event) => {
      const { scope, snapshot, source, found } = event;
      const key = scopedKey(parentOf(event));
      let lives = parents.get(key) ?? [];
      const known = lifeAt(lives, snapshot.createdAt);
      // What was made after its parent was deleted may belong to another one with the same id.
      if (!known || (known.deletedAt && known.deletedAt <= snapshot.createdAt)) {
        const named = namedIn(scope, found);
        if (found === undefined || named.some(it => reserved.has(scopedKey(it)))) return 'unprepared';
        const { parent: read } = found;
        if (read !== 'missing' && isNewLife(lives, read) && belongsTo(scope, read, snapshot)) {
          const origin = { scope, named, source, eventAt: null, createdAt: now() };
          const added = await mirrorParent(tx, publish, read, origin);
          await parentType.moveChildren?.(tx, publish, { others: lives, added, source });
          lives = [...lives, added];
          parents.set(key, lives);
        }
      }
      const parent = lifeAt(lives, snapshot.createdAt);
      const more = moreOf(snapshot) ?? found?.more;
      if (more === undefined) return 'unprepared';
      const ignored = { processorId: snapshot.id, type: type.name };
      if (!parent || more === null) logger.info(ignored, 'record of a foreign one ignored');
      // One that was deleted here gets no new records.
      if (!parent || more === null || parent.deletedAt) return null;
      return mirror(tx, publish, snapshot, event, { parent, more });
    };
  };

  return followRecords(type, dependencies, { namedIds, findForNew, begin });
}

const isNewLife = (lives: readonly Life[], { createdAt }: CatalogSnapshot): boolean =>
  findLife(lives, createdAt) === 'new';

/** Returns whether the parent, or else the record itself, names the project. */
function belongsTo({ projectId }: ProjectScope, parent: CatalogSnapshot, child: CatalogSnapshot): boolean {
  return (namedProject(parent.metadata) ?? namedProject(child.metadata)) === projectId;
}
