import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { CATALOG_KEY } from '@billing/contracts/metadata';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { withoutKey } from '@billing/processor/metadata';
import { STALE, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import { showsChanges } from '@billing/processor/shows-changes';
import { changesOf, recordUnchanged } from '@billing/service/audit';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { isOfLife } from '@billing/service/lives';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { z } from 'zod';
import { changes as processorChanges, toProcessorChanges, valuesOf, type Changes } from '#domain/changes.ts';
import { requireSettable } from '#domain/key.ts';
import { hasAdded } from '#domain/price.ts';
import type { Product } from '#persistence/product.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { explainTaxCode } from './explain-refusal.ts';
import {
  COUPON,
  PRICE,
  PRODUCT,
  PROMOTION_CODE,
  type CatalogRow,
  type CatalogSnapshot,
  type UpdatableType,
} from './record-types.ts';
import { requireFreeKey } from './require-free-key.ts';
import { saveContent } from './save-record.ts';

const input = z.object({
  processorId: z.string(),
  changes: processorChanges,
  /** The record's version before the processor was called. */
  version: z.int(),
});
type Input = z.output<typeof input>;

/** Changes a record at the processor. */
function updateKind<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: UpdatableType<Row, Snapshot>,
  now: () => Date,
) {
  interface Reread {
    readonly snapshot: Snapshot;
    /** The record's version before the snapshot was read. */
    readonly version: number;
  }
  async function reread(processor: Processor, operation: RemoteOperation<Input>, em: EntityManager) {
    const { version } = await type.rows.find(em, operation, operation.resourceId);
    return { snapshot: await type.find(processor, operation.input.processorId), version };
  }
  return audited<Input, Reread, Mirrored<Row>>({
    name: `update-${type.name}`,
    input,
    async send(processor, { input: { processorId, changes, version }, idempotencyKey }) {
      const key = changes.metadata?.[CATALOG_KEY];
      // What will be refused changes nothing.
      if (key !== undefined) requireSettable(withoutKey((await type.find(processor, processorId)).metadata).key, key);
      return { snapshot: await type.update(processor, processorId, changes, idempotencyKey), version };
    },
    async commit(tx, operation, { snapshot, version }, publish, cause) {
      const record = await type.rows.lock(tx, operation, operation.resourceId);
      // An event came in between; it may carry something newer than this response.
      if (record.version !== version) return STALE;
      if (!isOfLife(record, snapshot.createdAt)) throw notFound(type.name);
      const change = { content: type.toContent(snapshot), at: now(), cause };
      if (saveContent(type, publish, record, change)) record.awaitsWebhook = true;
      return record;
    },
    reread,
    async findExisting(processor, operation, em) {
      const current = await reread(processor, operation, em);
      const { currencyOptions, ...sent } = operation.input.changes;
      const isDone =
        showsChanges<CatalogSnapshot>(current.snapshot, sent) &&
        hasAdded(type.toContent(current.snapshot), currencyOptions);
      return isDone ? current : null;
    },
    cancel: async () => undefined,
  });
}

export const updateProductKind = (now: () => Date) => updateKind(PRODUCT, now);
export const updatePriceKind = (now: () => Date) => updateKind(PRICE, now);
export const updateCouponKind = (now: () => Date) => updateKind(COUPON, now);
export const updatePromotionCodeKind = (now: () => Date) => updateKind(PROMOTION_CODE, now);

type UpdateDependencies = Pick<Dependencies, 'em' | 'outbox' | 'operationLog' | 'now'>;

/**
 * Changes a record at the processor and here.
 * @throws Problem 404; 422 `catalog_key_set`; 409 `catalog_key_taken`; `processor_error` after a refusal, with nothing changed;
 * `unavailable` when the processor does not respond, and the change is made later
 */
const updateRecord =
  <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(type: UpdatableType<Row, Snapshot>) =>
  ({ em, outbox, operationLog, now }: UpdateDependencies) => {
    const kind = updateKind(type, now);
    return async (
      scope: ProjectScope,
      id: Row['id'],
      changes: Changes,
      context: AuditContext,
    ): Promise<Mirrored<Row>> => {
      const current = await type.rows.find(em.fork(), scope, id);
      const target = { type: type.name, id };
      if (Object.values(changes).every(change => change === undefined)) {
        await recordUnchanged(outbox, scope.teamId, context, target);
        return current;
      }
      return operationLog.perform(kind, scope, { resourceId: id }, async tx => {
        const { key = current.key, isActive } = changes;
        const isClaimed = key !== current.key || (isActive === true && current.isActive === false);
        if (isClaimed) await requireFreeKey(tx, type, scope, { key, except: [id] });
        const record = await type.rows.lock(tx, scope, id);
        requireSettable(record.key, changes.key);
        const { processorId, version } = record;
        const audit = pendingAuditOf(context, {
          target,
          changes: changesOf(record, valuesOf(record, changes), ['metadata']),
        });
        return { processorId, version, changes: toProcessorChanges(record, changes), audit };
      });
    };
  };

/**
 * Changes a product at the processor and here.
 * @throws Problem 422 `tax_code_invalid`, with nothing changed; what `updateRecord` throws
 */
export function updateProduct(dependencies: UpdateDependencies) {
  const update = updateRecord(PRODUCT)(dependencies);
  return (...change: Parameters<typeof update>): Promise<Mirrored<Product>> => update(...change).catch(explainTaxCode);
}

export const updatePrice = updateRecord(PRICE);
export const updateCoupon = updateRecord(COUPON);
export const updatePromotionCode = updateRecord(PROMOTION_CODE);
