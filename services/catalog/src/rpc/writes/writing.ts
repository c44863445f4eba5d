import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { CatalogWrite } from '@billing/contracts/rpc/catalog';
import { auditEntryId } from '@billing/service/audit';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { hasContent, valuesOf, type Changes } from '#domain/changes.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from '#operations/record-types.ts';

/** Who writes, and the key from which all ids of the write follow. */
export interface Writing {
  readonly scope: ProjectScope;
  readonly operationKey: string;
  readonly audit: AuditContext;
}

export type WriteOf<Name extends CatalogWrite['write']> = Extract<CatalogWrite, { readonly write: Name }>;

/** Returns the audit entry of a part of a write: the same each time the write is made. */
export const entryOf = ({ audit, operationKey }: Writing, part: string): AuditContext => ({
  ...audit,
  id: auditEntryId(`${operationKey}:${part}`),
});

export const ARCHIVED = { isActive: false } as const;

/** A part of a write, that changes a record. */
interface Change<Id> {
  readonly id: Id;
  readonly changes: Changes;
  readonly part: string;
}

/** Changes a record, unless it is as wanted already. */
export const changeRecord =
  <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
    em: EntityManager,
    { rows }: RecordType<Row, Snapshot>,
    update: (scope: ProjectScope, id: Row['id'], changes: Changes, context: AuditContext) => Promise<Mirrored<Row>>,
  ) =>
  async (writing: Writing, { id, changes, part }: Change<Row['id']>): Promise<Row['id']> => {
    const current = await rows.find(em.fork(), writing.scope, id);
    if (!hasContent(current, valuesOf(current, changes)))
      await update(writing.scope, id, changes, entryOf(writing, part));
    return id;
  };
