import type { EntityManager } from '@mikro-orm/postgresql';
import type { IdKind, ProjectScope } from '@billing/contracts/ids';
import { invalid, quotaExceeded, unavailable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { lockObjects } from '@billing/database/advisory-locks';
import type { ProjectObject } from '@billing/database/project-objects';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type PendingAudit } from '@billing/service/audited-operation';
import { derivedId } from '@billing/service/derived-id';
import { isMirrored, type Mirrored } from '@billing/service/mirrored-rows';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';
import { publishCreated } from './save-record.ts';

/** Creates a record at the processor; until then its row is only reserved and not shown. */
export const createKind = <Row extends CatalogRow, Snapshot extends CatalogSnapshot, Input>(
  type: RecordType<Row, Snapshot>,
  calls: Pick<OperationKind<Input, Snapshot>, 'input' | 'send' | 'findExisting'>,
) =>
  audited<Input, Snapshot, Mirrored<Row>>(
    {
      ...calls,
      name: `create-${type.name}`,
      async commit(tx, operation, snapshot, publish, cause) {
        const row = await type.rows.lockRow(tx, operation, operation.resourceId);
        if (!row) throw unavailable(`The ${type.name} is no longer reserved.`);
        Object.assign(row, type.toContent(snapshot), {
          processorId: snapshot.id,
          processorCreatedAt: snapshot.createdAt,
        });
        if (!isMirrored(row)) throw new Error(`The processor gave the ${type.name} no id.`);
        publishCreated(type, publish, row, { at: row.createdAt, cause });
        return row;
      },
      cancel: (tx, { teamId, projectId, resourceId }) =>
        type.rows.deleteReserved(tx, { teamId, projectId }, resourceId),
    },
    { isCreation: true },
  );

/** Records of a project that are not deleted, by type. What is made at the processor is mirrored beyond that, too. */
const QUOTAS = { product: 10_000, price: 50_000, coupon: 10_000, promotion_code: 100_000 } as const;

/** Lets one transaction at a time decide about how many records of a kind a project has, and about their keys. */
export const lockKind = <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  tx: EntityManager,
  { name }: RecordType<Row, Snapshot>,
  scope: ProjectScope,
): Promise<void> => lockObjects(tx, 'quota', [{ scope, id: name }]);

/**
 * Requires that there is room for one more record, until the transaction ends.
 * @throws Problem 422 `quota_exceeded`
 */
export async function requireRoom<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  tx: EntityManager,
  type: RecordType<Row, Snapshot>,
  scope: ProjectScope,
): Promise<void> {
  const { name, rows } = type;
  await lockKind(tx, type, scope);
  if ((await rows.countLive(tx, scope, QUOTAS[name])) >= QUOTAS[name]) throw quotaExceeded(`${name}s`, QUOTAS[name]);
}

/** Columns of a row that is reserved for a record until the processor has it. */
export const reserved = (now: Date) => ({
  processorId: null,
  processorCreatedAt: null,
  processorUpdatedAt: null,
  awaitsWebhook: true,
  version: 1,
  sequence: 0,
  createdAt: now,
  deletedAt: null,
});

/** Returns the audit entry of a creation. */
export function auditOfCreated(
  context: AuditContext,
  target: { readonly type: RecordType<CatalogRow, CatalogSnapshot>['name']; readonly id: string },
  {
    metadata = {},
    ...fields
  }: { readonly metadata?: Readonly<Record<string, string>>; readonly [field: string]: unknown },
): PendingAudit {
  const given = { ...fields, ...(Object.keys(metadata).length > 0 && { metadata }) };
  return pendingAuditOf(context, { target, changes: changesOf(null, given, ['metadata']) });
}

/** What the operation log needs to know of a creation: the same operation key gives the same record. */
export const creation = <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  { rows }: RecordType<Row, Snapshot>,
  scope: ProjectScope,
  { id, operationKey }: { readonly id: string; readonly operationKey: string },
) => ({ resourceId: id, operationKey, find: (em: EntityManager) => rows.findCreated(em, scope, id) });

/** What a created record has in its metadata: its project, and the operation that finds it again. */
export const marksOf = ({ teamId, projectId }: ProjectScope, operationKey: string) => ({
  teamId,
  projectId,
  operationId: operationKey,
});

/** Returns a function that returns our id of a record that was created here, by what the processor has of it; none for others. */
export const namedIds =
  <Prefix extends string>(kind: IdKind<Prefix>, purpose: string) =>
  (
    scope: ProjectScope,
    { metadata: { operationId } }: Pick<CatalogSnapshot, 'metadata'>,
  ): ProjectObject<ReturnType<IdKind<Prefix>['create']>>[] =>
    operationId === undefined ? [] : [{ scope, id: derivedId(kind, operationId, purpose) }];

/**
 * Returns an end as the processor has it, in whole seconds; null for none.
 * @throws Problem 400 for one that is not in the future
 */
export function endOf(field: string, end: Date | undefined, now: Date): Date | null {
  if (end === undefined) return null;
  const seconds = Math.floor(end.getTime() / 1_000);
  if (seconds * 1_000 <= now.getTime()) throw invalid([{ path: field, message: 'Expected a time in the future.' }]);
  return new Date(seconds * 1_000);
}
