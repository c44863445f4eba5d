import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { missingOrThrow } from '@billing/processor/errors';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { PRICE, PRODUCT, type CatalogRow, type CatalogSnapshot, type RecordType } from './record-types.ts';
import { saveDeleted } from './save-record.ts';

const input = z.object({ processorId: z.string() });

/** Archives a record at the processor, which deletes no price and no product that has prices, and deletes it here. */
const deleteKind =
  <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(type: RecordType<Row, Snapshot>) =>
  (now: () => Date) =>
    audited<z.output<typeof input>, 'archived', void>({
      name: `delete-${type.name}`,
      input,
      async send(processor, { input: { processorId }, idempotencyKey }) {
        // What is gone there needs no archiving.
        await type.update(processor, processorId, { isActive: false }, idempotencyKey).catch(missingOrThrow);
        return 'archived';
      },
      async findExisting(processor, { input: { processorId } }) {
        const found = await type.find(processor, processorId).catch(missingOrThrow);
        return found === 'missing' || !found.isActive ? 'archived' : null;
      },
      async commit(tx, operation, _response, publish, cause) {
        saveDeleted(type, publish, await type.rows.lock(tx, operation, operation.resourceId), { at: now(), cause });
      },
      cancel: async () => undefined,
    });

export const deleteProductKind = deleteKind(PRODUCT);
export const deletePriceKind = deleteKind(PRICE);

/**
 * Archives a record at the processor and deletes it here, for good. The prices of a product and the subscriptions of a
 * price stay.
 * @throws Problem 404; `processor_error` after a refusal; `unavailable` when the processor does not respond, and the
 * record is deleted later
 */
const deleteRecord =
  <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(type: RecordType<Row, Snapshot>) =>
  ({ em, operationLog, now }: Dependencies) => {
    const kind = deleteKind(type)(now);
    return async (scope: ProjectScope, id: Row['id'], context: AuditContext): Promise<void> => {
      await type.rows.find(em.fork(), scope, id);
      await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
        const { processorId } = await type.rows.lock(tx, scope, id);
        const audit = pendingAuditOf(context, { target: { type: type.name, id }, changes: [] });
        return { processorId, audit };
      });
    };
  };

export const deleteProduct = deleteRecord(PRODUCT);
export const deletePrice = deleteRecord(PRICE);
