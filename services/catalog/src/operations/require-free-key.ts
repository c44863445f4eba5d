import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { CATALOG_KEY } from '@billing/contracts/metadata';
import { keyTaken } from '#domain/key.ts';
import { lockKind } from './create-record.ts';
import type { CatalogRow, CatalogSnapshot, RecordType } from './record-types.ts';

/**
 * Requires that no other active record of the kind has a key or is getting it, until the transaction ends; what was made at the
 * processor may bring it twice all the same. The records `except` may have it.
 * @throws Problem 409 `catalog_key_taken`
 */
export async function requireFreeKey<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  tx: EntityManager,
  type: RecordType<Row, Snapshot>,
  scope: ProjectScope,
  { key, except }: { readonly key: string | null | undefined; readonly except: readonly string[] },
): Promise<void> {
  if (!key) return;
  await lockKind(tx, type, scope);
  const { tableName } = tx.getMetadata().get(type.rows.Entity);
  const isActivated = `exists (select from remote_operations o
    where o.resource_id = r.id and o.due_at is not null and o.input->'changes'->>'isActive' = 'true')`;
  // In one statement: an operation ends in the transaction that changes the row.
  const others = await executeBound(
    tx,
    `select r.id from ${tableName} r
      where r.team_id = $1 and r.project_id = $2 and r.key = $3 and r.id <> all($4) and r.deleted_at is null
        ${type.isAlwaysActive ? '' : `and (r.is_active or ${isActivated})`}
      union all
      select o.resource_id from remote_operations o
      where o.team_id = $1 and o.project_id = $2 and o.kind = $5 and o.due_at is not null and o.resource_id <> all($4)
        and o.input->'changes'->'metadata'->>'${CATALOG_KEY}' = $3
      limit 1`,
    [scope.teamId, scope.projectId, key, [...except], `update-${type.name}`],
  );
  if (others.length > 0) throw keyTaken();
}
