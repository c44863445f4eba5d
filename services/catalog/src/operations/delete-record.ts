import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { missingOrThrow, nullIfMissing } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { isOfLife } from '@billing/service/lives';
import { isMirrored } from '@billing/service/mirrored-rows';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { COUPON, PRICE, PRODUCT, type CatalogRow, type CatalogSnapshot, type DeletableType } from './record-types.ts';
import { saveDeleted } from './save-record.ts';

const input = z.object({
  processorId: z.string(),
  /** When the processor created it. */
  processorCreatedAt: z.coerce.date().nullable().default(null),
});
type Input = z.output<typeof input>;

async function findSame<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: DeletableType<Row, Snapshot>,
  processor: Processor,
  { processorId, processorCreatedAt }: Input,
): Promise<Snapshot | null> {
  const found = await type.find(processor, processorId).catch(nullIfMissing);
  return found && isOfLife({ processorCreatedAt, deletedAt: null }, found.createdAt) ? found : null;
}

/** Archives a product or price at the processor, or deletes a coupon there, and deletes the record here. */
const deleteKind =
  <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(type: DeletableType<Row, Snapshot>) =>
  (now: () => Date) =>
    audited<Input, 'removed', void>({
      name: `delete-${type.name}`,
      input,
      async send(processor, { input: deleted, idempotencyKey }) {
        // What is gone there needs no removal, and what has its id since is another object.
        const found = await findSame(type, processor, deleted);
        if (found) await type.remove(processor, found.id, idempotencyKey).catch(missingOrThrow);
        return 'removed';
      },
      async findExisting(processor, { input: deleted }) {
        const found = await findSame(type, processor, deleted);
        return !found || type.isRemoved(found) ? 'removed' : null;
      },
      async commit(tx, operation, _response, publish, cause) {
        const record = await type.rows.lockRow(tx, operation, operation.resourceId);
        // The processor's own event about it may have come first.
        if (isMirrored(record) && !record.deletedAt) saveDeleted(type, publish, record, { at: now(), cause });
      },
      cancel: async () => undefined,
    });

export const deleteProductKind = deleteKind(PRODUCT);
export const deletePriceKind = deleteKind(PRICE);
export const deleteCouponKind = deleteKind(COUPON);

/**
 * Archives a product or price at the processor, or deletes a coupon there, and deletes the record here, for good. The prices
 * of a product, the subscriptions of a price, and what has a coupon stay.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not respond, and the
 * record is deleted later
 */
const deleteRecord =
  <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(type: DeletableType<Row, Snapshot>) =>
  ({ em, operationLog, now }: Dependencies) => {
    const kind = deleteKind(type)(now);
    return async (scope: ProjectScope, id: Row['id'], context: AuditContext): Promise<void> => {
      await type.rows.find(em.fork(), scope, id);
      await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
        const { processorId, processorCreatedAt } = await type.rows.lock(tx, scope, id);
        const audit = pendingAuditOf(context, { target: { type: type.name, id }, changes: [] });
        return { processorId, processorCreatedAt, audit };
      });
    };
  };

export const deleteProduct = deleteRecord(PRODUCT);
export const deletePrice = deleteRecord(PRICE);
export const deleteCoupon = deleteRecord(COUPON);
