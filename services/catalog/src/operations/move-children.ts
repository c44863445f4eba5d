import { LockMode, type EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import { nextBegin } from '@billing/service/lives';
import { isMirrored, type Mirrored } from '@billing/service/mirrored-rows';
import type { Source } from '@billing/service/save-record';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';
import { saveContent } from './save-record.ts';

/** A new record, and those of the other objects that had or have its id at the processor. */
interface Addition<Parent> {
  readonly others: readonly Parent[];
  readonly added: Parent;
  readonly source: Source;
}

/**
 * Returns what gives one of several objects with the same id what was made in its time (`lifeAt`): while it was not known, that had
 * to be taken for another one's. `field` has the parent's id.
 */
export const movingChildren =
  <Field extends string, Row extends CatalogRow & Record<Field, string>, Snapshot extends CatalogSnapshot>(
    typeOf: () => RecordType<Row, Snapshot>,
    field: Field,
  ) =>
  async <Parent extends Mirrored<CatalogRow>>(
    tx: EntityManager,
    publish: Publish,
    { others, added, source }: Addition<Parent>,
  ): Promise<void> => {
    const { teamId, projectId, processorCreatedAt: begin } = added;
    if (others.length === 0 || !begin) return;
    const next = nextBegin(others, begin);
    const isFirst = others.every(({ processorCreatedAt }) => processorCreatedAt && processorCreatedAt > begin);
    const processorCreatedAt = { ...(!isFirst && { $gte: begin }), ...(next ? { $lt: next } : { $ne: null }) };
    const conditions = { [field]: { $in: others.map(({ id }) => id) }, processorCreatedAt };
    const where = { teamId, projectId, ...conditions } as FilterQuery<Row>; // on columns of every child
    const type = typeOf();
    const children: Row[] = await tx.find(type.rows.Entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const content = { [field]: added.id } as Partial<Row>; // the field of the parent's id
    for (const child of children.filter(isMirrored)) saveContent(type, publish, child, { ...source, content });
  };
