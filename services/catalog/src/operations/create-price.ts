import { randomUUID } from 'node:crypto';
import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { INTERVALS, TAX_BEHAVIORS, type priceCreate } from '@billing/contracts/resources/price';
import { withoutEmpty } from '@billing/processor/metadata';
import type { PriceSnapshot } from '@billing/processor/port';
import { derivedId } from '@billing/service/derived-id';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { z } from 'zod';
import { keyMark } from '#domain/key.ts';
import { newTerms, productInactive } from '#domain/price.ts';
import { Price } from '#persistence/price.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { auditOfCreated, createKind, creation, reserved, requireRoom } from './create-record.ts';
import { PRICE, PRODUCT } from './record-types.ts';
import { requireFreeKey } from './require-free-key.ts';

const input = z.object({
  productId: z.string(),
  unitAmount: z.int(),
  currency: z.string(),
  currencyOptions: z.record(z.string(), z.object({ unitAmount: z.int() })).default({}),
  recurring: z.object({ interval: z.enum(INTERVALS), intervalCount: z.int() }).nullable(),
  meter: z.string().optional(),
  taxBehavior: z.enum(TAX_BEHAVIORS).default('unspecified'),
  metadata: z.record(z.string(), z.string()),
});

export const createPriceKind = createKind<Price, PriceSnapshot, z.output<typeof input>>(PRICE, {
  input,
  send: (processor, { input: { currencyOptions, ...price }, idempotencyKey }) => {
    const { taxBehavior } = price;
    const options = Object.entries(currencyOptions).map(([code, amount]) => [code, { ...amount, taxBehavior }]);
    return processor.createPrice({ ...price, currencyOptions: Object.fromEntries(options) }, idempotencyKey);
  },
  findExisting: (processor, { resourceId: priceId, input: { productId }, createdAt: since }) =>
    processor.findCreatedPrice(productId, { metadata: { priceId }, since }),
});

/**
 * Creates a price of a product, at the processor and here. The same operation key gives the same price.
 * @throws Problem 404 for an unknown product; 409 `catalog_key_taken`; 422 `product_inactive` for an archived one; `processor_error` after a
 * refusal, with nothing left behind; `unavailable` when the processor does not respond, and the price appears later
 */
export function createPrice({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return async (
    scope: ProjectScope,
    { productId, key, taxBehavior, currencyOptions, metadata: given, ...requested }: z.output<typeof priceCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
    /** A price that may have the key, too. */
    replaces: PriceId | null = null,
  ): Promise<Mirrored<Price>> => {
    const id = derivedId(PriceId, operationKey, 'price');
    return operationLog.perform(createPriceKind, scope, creation(PRICE, scope, { id, operationKey }), async tx => {
      await requireRoom(tx, PRICE, scope);
      await requireFreeKey(tx, PRICE, scope, { key, except: replaces ? [id, replaces] : [id] });
      const product = await PRODUCT.rows.find(tx, scope, productId);
      if (!product.isActive) throw productInactive();
      const terms = newTerms(requested);
      const metadata = withoutEmpty(given);
      const { unitAmount, currency, interval, intervalCount, meter } = terms;
      const metered = meter !== null;
      const named = key !== undefined && { key };
      const others = Object.keys(currencyOptions).length > 0 && { currencyOptions };
      const amount = { unitAmountDecimal: String(unitAmount), billingScheme: 'per_unit', metered } as const;
      const content = { ...terms, key: key ?? null, currencyOptions, taxBehavior, metadata };
      tx.create(Price, { ...scope, ...content, ...amount, id, productId, isActive: true, ...reserved(now()) });
      return {
        productId: product.processorId,
        unitAmount,
        currency,
        currencyOptions,
        recurring: interval && intervalCount !== null ? { interval, intervalCount } : null,
        ...(metered && { meter }),
        taxBehavior,
        metadata: { ...metadata, ...keyMark(key), teamId: scope.teamId, projectId: scope.projectId, priceId: id },
        audit: auditOfCreated(
          context,
          { type: 'price', id },
          { productId, ...named, ...terms, ...others, taxBehavior, metadata },
        ),
      };
    });
  };
}
