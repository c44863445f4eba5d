import { randomUUID } from 'node:crypto';
import { ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { productTexts, type productCreate } from '@billing/contracts/resources/product';
import { withoutEmpty } from '@billing/processor/metadata';
import { derivedId } from '@billing/service/derived-id';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { ProductSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { keyMark } from '#domain/key.ts';
import { Product } from '#persistence/product.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { auditOfCreated, createKind, creation, marksOf, namedIds, reserved, requireRoom } from './create-record.ts';
import { explainTaxCode } from './explain-refusal.ts';
import { PRODUCT } from './record-types.ts';
import { requireFreeKey } from './require-free-key.ts';

const input = z.object({
  ...productTexts.shape,
  taxCode: productTexts.shape.taxCode.default(null),
  metadata: z.record(z.string(), z.string()),
});

export const createProductKind = createKind<Product, ProductSnapshot, z.output<typeof input>>(PRODUCT, {
  input,
  send: (processor, operation) => processor.createProduct(operation.input, operation.idempotencyKey),
  findExisting: (processor, { id: operationId, createdAt: since }) =>
    processor.findCreatedProduct({ metadata: { operationId }, since }),
});

/** Our id of a product that was created here, by what the processor has of it; none for others. */
export const namedProductIds = namedIds(ProductId, 'product');

/**
 * Creates a product at the processor and here. The same operation key gives the same product.
 * @throws Problem 409 `catalog_key_taken`; 422 `tax_code_invalid`, `processor_error` after another refusal, with nothing left behind; `unavailable`
 * when the processor does not respond, and the product appears later
 */
export function createProduct({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return async (
    scope: ProjectScope,
    { key, metadata: given, ...texts }: z.output<typeof productCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Mirrored<Product>> => {
    const id = derivedId(ProductId, operationKey, 'product');
    const created = operationLog.perform(
      createProductKind,
      scope,
      creation(PRODUCT, scope, { id, operationKey }),
      async tx => {
        await requireRoom(tx, PRODUCT, scope);
        await requireFreeKey(tx, PRODUCT, scope, { key, except: [id] });
        const metadata = withoutEmpty(given);
        const content = { ...texts, metadata };
        tx.create(Product, { ...scope, ...content, key: key ?? null, id, isActive: true, ...reserved(now()) });
        const audit = auditOfCreated(
          context,
          { type: 'product', id },
          { ...(key !== undefined && { key }), ...content },
        );
        return { ...texts, metadata: { ...metadata, ...keyMark(key), ...marksOf(scope, operationKey) }, audit };
      },
    );
    return created.catch(explainTaxCode);
  };
}
