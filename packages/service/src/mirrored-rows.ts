import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import { findNewest } from '@billing/database/find-newest';
import { inProjects, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { LockMode, p, type EntityClass, type EntityManager, type FilterQuery } from '@mikro-orm/postgresql';

/** The row of a record that the processor has too. */
export interface MirroredRow extends ProjectScope {
  readonly id: string;
  /** The processor's id; null while the record is being created: it is not shown yet. */
  processorId: string | null;
  readonly createdAt: Date;
  deletedAt: Date | null;
}

/** Returns the columns of every such row, but for its id. */
export const mirroredProperties = () => ({
  teamId: p.text().$type<TeamId>(),
  projectId: p.text().$type<ProjectId>(),
  metadata: p.json<Record<string, string>>(),
  processorId: p.text().strictNullable(),
  /** When the newest event happened that the row includes. */
  processorUpdatedAt: p.datetime().strictNullable(),
  /** We changed it ourselves, and the webhook event about that has not come back. */
  awaitsWebhook: p.boolean(),
  version: p.integer(),
  /** How many changes tenants were told of. */
  sequence: p.integer(),
  createdAt: p.datetime(),
  /** The row of a deleted record stays: for what belongs to it, and so that no late event revives it. */
  deletedAt: p.datetime().strictNullable(),
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

    /** Finds the records with the given processor ids by `scopedKey`: deleted ones too, unless the conditions leave them out. */
    findByProcessorIds: async (
      em: EntityManager,
      ids: readonly ProjectObject[],
      conditions: object = {},
    ): Promise<Map<string, Mirrored<Row>>> =>
      byKey(await em.find(Entity, where({ ...atProcessor(ids), ...conditions }))),

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

    /** Deletes the row of a record that was reserved and never created. */
    async deleteReserved(tx: EntityManager, scope: ProjectScope, id: string): Promise<void> {
      await tx.nativeDelete(Entity, byId(scope, id, { processorId: null }));
    },

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
  new Map(rows.filter(isMirrored).map(row => [scopedKey({ scope: row, id: row.processorId }), row]));
