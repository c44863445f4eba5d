import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { findNewest } from '@billing/database/find-newest';
import { listPage } from '@billing/database/find-page';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { Life } from './lives.ts';
import { LockMode, p, type EntityClass, type EntityManager, type FilterQuery } from '@mikro-orm/postgresql';

/** The row of a record that the processor has too. */
export interface MirroredRow extends ProjectScope, Life {
  readonly id: string;
  /** The processor's id; null while the record is being created: it is not shown yet. */
  processorId: string | null;
  processorCreatedAt: Date | null;
  readonly createdAt: Date;
  deletedAt: Date | null;
}

/** Returns the columns of every such row, but for its id. */
export const mirroredProperties = () => ({
  teamId: p.text().$type<TeamId>(),
  projectId: p.text().$type<ProjectId>(),
  metadata: p.json<Record<string, string>>(),
  processorId: p.text().strictNullable(),
  /** When the processor created the object: tells which life of the id it is. */
  processorCreatedAt: p.datetime().strictNullable(),
  /** When the newest event happened that the row includes. */
  processorUpdatedAt: p.datetime().strictNullable(),
  /** We changed it ourselves, and the webhook event about that has not come back. */
  awaitsWebhook: p.boolean(),
  version: p.integer(),
  /** Of its last event for tenants. */
  sequence: p.integer(),
  createdAt: p.datetime(),
  /** The row of a deleted record stays: for what belongs to it, and so that no late event revives it. */
  deletedAt: p.datetime().strictNullable(),
});

const PROCESSOR_ID = ['teamId', 'projectId', 'processorId'] as const;

/** One record of a project for each object of the processor; deleted ones do not count. */
export const uniqueProcessorId = (table: string) => ({
  name: `${table}_processor_id_unique`,
  properties: [...PROCESSOR_ID],
  where: 'deleted_at is null',
});

/** Finds the records of an id, deleted ones too. */
export const processorIdIndex = (table: string) => ({
  name: `${table}_by_processor_id`,
  properties: [...PROCESSOR_ID],
});

/** A row whose record exists at the processor. */
export type Mirrored<Row extends MirroredRow> = Row & { processorId: string };

/** Returns whether the record exists at the processor too. */
export const isMirrored = <Row extends MirroredRow>(row: Row | null): row is Mirrored<Row> =>
  row !== null && row.processorId !== null;

export type MirroredRows<Row extends MirroredRow> = ReturnType<typeof mirroredRows<Row>>;

/** Reads and locks the rows of one type of mirrored record; `resource` is its name in problems. */
export function mirroredRows<Row extends MirroredRow>(Entity: EntityClass<Row>, resource: string) {
  const where = (conditions: object) => conditions as FilterQuery<Row>; // on columns that every such row has
  const byId = ({ teamId, projectId }: ProjectScope, id: string, rest: object = {}) =>
    where({ id, teamId, projectId, ...rest });
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const liveLast = { orderBy: [{ deletedAt: 'asc nulls last' }] } as object;
  const lockedInOrder = { orderBy: [{ id: 'asc' }], ...locked } as object;
  const atProcessor = (ids: readonly ProjectObject[]) => inProjects('processorId', ids);

  /**
   * Finds a record that an earlier request may have created; null when there is none yet.
   * @throws Problem 404 for one that was deleted since
   */
  async function findCreated(em: EntityManager, scope: ProjectScope, id: string): Promise<Mirrored<Row> | null> {
    const row: Row | null = await em.findOne(Entity, byId(scope, id));
    if (!isMirrored(row)) return null;
    if (row.deletedAt) throw notFound(resource);
    return row;
  }

  /** Locks a row, also of a reserved or deleted record; null when the project has no such row. */
  const lockRow = (tx: EntityManager, scope: ProjectScope, id: string): Promise<Row | null> =>
    tx.findOne(Entity, byId(scope, id), locked);

  return {
    Entity,
    resource,
    findCreated,
    lockRow,

    /** @throws Problem 404 for one that does not exist, is still being created, was deleted, or belongs to another project */
    async find(em: EntityManager, scope: ProjectScope, id: string): Promise<Mirrored<Row>> {
      const row = await findCreated(em, scope, id);
      if (!row) throw notFound(resource);
      return row;
    },

    /** The same as `find`, locked until the end of the transaction. */
    async lock(tx: EntityManager, scope: ProjectScope, id: string): Promise<Mirrored<Row>> {
      const row = await lockRow(tx, scope, id);
      if (!isMirrored(row) || row.deletedAt) throw notFound(resource);
      return row;
    },

    /**
     * Finds the records with the given processor ids by `scopedKey`: deleted ones too, unless the conditions leave them out. Of
     * several with one id it is the one that is not deleted.
     */
    findByProcessorIds: async (
      em: EntityManager,
      ids: readonly ProjectObject[],
      conditions: object = {},
    ): Promise<Map<string, Mirrored<Row>>> =>
      byKey(await em.find(Entity, where({ ...atProcessor(ids), ...conditions }), liveLast)),

    /** Finds all records with the given processor ids by `scopedKey`, one for each life of an id, locked if so wanted. */
    findLives: async (
      em: EntityManager,
      ids: readonly ProjectObject[],
      { isLocked = false }: { readonly isLocked?: boolean } = {},
    ): Promise<Map<string, Mirrored<Row>[]>> => {
      if (ids.length === 0) return new Map();
      const rows = await em.find(Entity, where(atProcessor(ids)), isLocked ? lockedInOrder : {});
      return Map.groupBy(rows.filter(isMirrored), keyOfRow);
    },

    /** The same as `findByProcessorIds`, locked until the end of the transaction. */
    lockByProcessorIds: async (
      tx: EntityManager,
      ids: readonly ProjectObject[],
      conditions: object = {},
    ): Promise<Map<string, Mirrored<Row>>> =>
      byKey(await tx.find(Entity, where({ ...atProcessor(ids), ...conditions }), lockedInOrder)),

    /** Returns those of our ids, by `scopedKey`, under which a record is being created. */
    async findReservedIds(em: EntityManager, ids: readonly ProjectObject[]): Promise<ReadonlySet<string>> {
      const reserved = where({ ...inProjects('id', ids), processorId: null });
      // Outside of the identity map: a record that is created now is read again with its processor id.
      const rows: Row[] = await em.find(Entity, reserved, { disableIdentityMap: true });
      return new Set(rows.map(row => scopedKey({ scope: row, id: row.id })));
    },

    /** Returns whether a record of any project has the id, deleted ones too. */
    async isTaken(em: EntityManager, id: string): Promise<boolean> {
      const { tableName } = em.getMetadata().get(Entity);
      const rows = await em.execute<unknown[]>(`select 1 from ${tableName} where id = ?`, [id]);
      return rows.length > 0;
    },

    /** Counts the project's records that are not deleted, reserved ones too; no further than a limit. */
    async countLive(em: EntityManager, { teamId, projectId }: ProjectScope, limit: number): Promise<number> {
      const { tableName } = em.getMetadata().get(Entity);
      const [row] = await executeBound<{ count: number }>(
        em,
        `select count(*)::int as count
           from (select from ${tableName} where team_id = $1 and project_id = $2 and deleted_at is null limit $3) live`,
        [teamId, projectId, limit],
      );
      return row?.count ?? 0;
    },

    /** Deletes the row of a record that was reserved and never created. */
    async deleteReserved(tx: EntityManager, scope: ProjectScope, id: string): Promise<void> {
      await tx.nativeDelete(Entity, byId(scope, id, { processorId: null }));
    },

    /**
     * Lists a page of the project's records as a sync needs them: those that are neither reserved nor deleted, and in the
     * processor's lists.
     */
    listLive: (em: EntityManager, page: Parameters<typeof listPage>[2], isListed: (row: Row) => boolean = () => true) =>
      listPage(em, Entity, page, row =>
        row.processorId === null || row.deletedAt || !isListed(row)
          ? null
          : { id: row.id, processorId: row.processorId },
      ),

    /** Lists a page of the project's records, newest first. */
    async list(
      em: EntityManager,
      { teamId, projectId }: ProjectScope,
      page: Page,
      conditions: object = {},
    ): Promise<[Mirrored<Row>[], Pagination]> {
      const shown = { teamId, projectId, processorId: { $ne: null }, deletedAt: null, ...conditions };
      const [rows, pagination] = await findNewest(em, Entity, shown, page);
      return [rows.filter(isMirrored), pagination];
    },
  };
}

const byKey = <Row extends MirroredRow>(rows: readonly Row[]): Map<string, Mirrored<Row>> =>
  new Map(rows.filter(isMirrored).map(row => [keyOfRow(row), row]));

const keyOfRow = <Row extends MirroredRow>(row: Mirrored<Row>): string =>
  scopedKey({ scope: row, id: row.processorId });
