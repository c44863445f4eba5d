import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { lockObjects } from '@billing/database/advisory-locks';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Publish } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import { readObject } from '@billing/processor/event-object';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { sourceOf } from '@billing/service/event-causes';
import { findLife, goneAt, nextBegin } from '@billing/service/lives';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { Logger } from 'pino';
import { applyEvent, type Reread } from '#operations/apply-event.ts';
import type { MirrorOrigin } from '#operations/mirror-record.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from '#operations/record-types.ts';
import { saveDeleted } from '#operations/save-record.ts';

export interface FollowDependencies {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What was read at the processor: the record, if we have it, and otherwise what a new one needs. */
interface Context<Snapshot, Found> {
  readonly reread?: Reread<Snapshot>;
  readonly found?: Found;
}

/** An event of a record. */
export interface RecordEvent<Id extends string, Snapshot, Found> extends MirrorOrigin<Id> {
  readonly snapshot: Snapshot;
  readonly fromSync: boolean;
  /** What `findForNew` returned; undefined before it ran. */
  readonly found: Found | undefined;
}

/** How records that are new here are added. */
interface NewRecords<Row extends CatalogRow, Snapshot, Found> {
  readonly namedIds: (scope: ProjectScope, snapshot: Snapshot) => readonly ProjectObject<Row['id']>[];
  /** Reads at the processor what a new record needs. */
  readonly findForNew: (scope: ProjectScope, snapshot: Snapshot) => Promise<Found>;
  /**
   * Reads what new records of the events need, once per batch. The function that it returns adds one, and returns null for
   * one that is ignored, `unprepared` for one that needs `findForNew`.
   */
  readonly begin: (
    tx: EntityManager,
    publish: Publish,
    events: readonly RecordEvent<Row['id'], Snapshot, Found>[],
  ) => Promise<(event: RecordEvent<Row['id'], Snapshot, Found>) => Promise<Mirrored<Row> | null | 'unprepared'>>;
}

/**
 * Follows the processor's records of one type: changes and deletions of those we have, and new ones. One whose deletion
 * comes first is recorded as deleted, so that no later event brings it back. An id that is used again is another record, which ends
 * the one before.
 */
export function followRecords<Row extends CatalogRow, Snapshot extends CatalogSnapshot, Found>(
  type: RecordType<Row, Snapshot>,
  { em, processors, now }: FollowDependencies,
  { namedIds, findForNew, begin }: NewRecords<Row, Snapshot, Found>,
): Consumer {
  const read = (delivery: Delivery<ProcessorEventData, Context<Snapshot, Found>>) => {
    const { teamId, data, event, context } = delivery;
    const snapshot = readObject(data, type.read);
    const scope = { teamId, projectId: data.projectId };
    const source = sourceOf(delivery);
    const fromSync = data.fromSync === true;
    return {
      delivery,
      scope,
      snapshot,
      id: { scope, id: snapshot.id },
      named: namedIds(scope, snapshot),
      source,
      eventAt: source.at,
      createdAt: fromSync ? snapshot.createdAt : now(),
      fromSync,
      found: context?.found,
      reread: context?.reread,
      isDeletion: event.type.endsWith('.deleted.v1'),
    };
  };

  const prepare = async (delivery: Delivery<ProcessorEventData>): Promise<Context<Snapshot, Found>> => {
    if (isGone(delivery)) return {};
    const { scope, snapshot, id, named } = read({ ...delivery, context: undefined });
    const lives = (await type.rows.findLives(em.fork(), [id])).get(scopedKey(id)) ?? [];
    const record = findLife(lives, snapshot.createdAt);
    if (typeof record === 'object') {
      const processor = await processors.of(scope.teamId);
      const found = await type.find(processor, snapshot.id).catch(missingOrThrow);
      const isOther = found !== 'missing' && found.createdAt.getTime() !== snapshot.createdAt.getTime();
      return { reread: { version: record.version, snapshot: isOther ? 'missing' : found } };
    }
    const reserved = await type.rows.findReservedIds(em.fork(), named);
    if (reserved.size > 0) throw unavailable(`The ${type.name} is being created.`);
    return { found: await findForNew(scope, snapshot) };
  };

  const handle = async (
    tx: EntityManager,
    deliveries: readonly Delivery<ProcessorEventData, Context<Snapshot, Found>>[],
    publish: Publish,
  ) => {
    const gone = deliveries.filter(isGone).map(readGone);
    const events = deliveries.filter(it => !isGone(it)).map(read);
    const ids = [...events, ...gone].map(({ id }) => id);
    await lockObjects(tx, type.name, ids);
    // Before the records: one that is created in between is found under its processor id.
    const reserved = await type.rows.findReservedIds(
      tx,
      events.flatMap(({ named }) => named),
    );
    const addNew = await begin(tx, publish, events);
    const records = await type.rows.findLives(tx, ids, { isLocked: true });

    /** Ends what had the id before another object was made under it, whose event may be lost or still come. */
    const endFormer = async (lives: readonly Mirrored<Row>[], { snapshot, source }: (typeof events)[number]) => {
      const live = lives.filter(({ deletedAt }) => !deletedAt);
      for (const former of live) saveDeleted(type, publish, former, { ...source, at: snapshot.createdAt });
      // Before the insert of the new row: its id is free then.
      if (live.length > 0) await tx.flush();
    };

    /** Returns false for an event that needs `prepare`. */
    const apply = async (event: (typeof events)[number]): Promise<boolean> => {
      const { source, isDeletion, snapshot } = event;
      const lives = records.get(scopedKey(event.id)) ?? [];
      const record = findLife(lives, snapshot.createdAt);
      const isRecorded = typeof record === 'object';
      if (isRecorded && !isDeletion) return applyEvent(type, publish, record, event);
      if (!isRecorded && event.named.some(it => reserved.has(scopedKey(it)))) return false;
      if (record === 'new') await endFormer(lives, event);
      const current = isRecorded ? record : await addNew(event);
      if (current === 'unprepared') return false;
      if (!current) return true;
      const endedAt = isDeletion ? source.at : record === 'past' ? nextBegin(lives, snapshot.createdAt) : null;
      if (endedAt && !current.deletedAt) saveDeleted(type, publish, current, { ...source, at: endedAt });
      if (isRecorded) return true;
      records.set(scopedKey(event.id), [...lives, current]);
      await type.moveChildren?.(tx, publish, { others: lives, added: current, source });
      return true;
    };
    for (const { id, source } of gone) {
      const record = goneAt(records.get(scopedKey(id)) ?? [], source.at);
      if (record) saveDeleted(type, publish, record, source);
    }
    const unprepared: (typeof deliveries)[number][] = [];
    for (const event of events) if (!(await apply(event))) unprepared.push(event.delivery);
    return unprepared;
  };

  const name = `catalog-${type.name.replace('_', '-')}s`;
  return consumer(name, `processor.${type.name}.*.v1`).onProcessorEvent(type.events, { prepare, handle });
}

/** Whether a sync found that the processor has the object no more, and nobody knows its last state. */
const isGone = ({ data: { object } }: Delivery<ProcessorEventData>): boolean =>
  object['deleted'] === true && object['created'] === undefined;

function readGone(delivery: Delivery<ProcessorEventData>) {
  const { teamId, data } = delivery;
  const id = { scope: { teamId, projectId: data.projectId }, id: String(data.object['id']) };
  return { id, source: sourceOf(delivery) };
}
