import type { PriceId, ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { isRefused, missingOrThrow } from '@billing/processor/errors';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { Changes } from '#domain/changes.ts';
import { keepsTaxBehavior, requireAddable, taxBehaviorSet } from '#domain/price.ts';
import type { Price } from '#persistence/price.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { PRICE } from './record-types.ts';
import { updatePrice } from './update-record.ts';

/**
 * Changes a price at the processor and here.
 * @throws Problem 422 `tax_behavior_set`, `currency_amount_set`, with nothing changed, also when only the processor has it; 400
 * for an amount in the price's own currency; what `updateRecord` throws
 */
export function changePrice(dependencies: Dependencies) {
  const { em, processors } = dependencies;
  const update = updatePrice(dependencies);

  return async (
    scope: ProjectScope,
    id: PriceId,
    changes: Changes,
    context: AuditContext,
  ): Promise<Mirrored<Price>> => {
    const price = await PRICE.rows.find(em.fork(), scope, id);
    const { processorId, taxBehavior } = price;
    requireAddable(price, changes.currencyOptions);
    if (keepsTaxBehavior(taxBehavior, changes.taxBehavior)) throw taxBehaviorSet();
    return update(scope, id, changes, context).catch(async (err: unknown) => {
      if (!isRefused(err) || changes.taxBehavior === undefined) throw err;
      const processor = await processors.of(scope.teamId);
      const current = await processor.findPrice(processorId).catch(missingOrThrow);
      if (current !== 'missing' && keepsTaxBehavior(current.taxBehavior, changes.taxBehavior)) throw taxBehaviorSet();
      throw err;
    });
  };
}
