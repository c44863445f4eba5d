import type { WriteCatalog } from '@billing/contracts/rpc/catalog';
import { describeFailure, isFinal } from '@billing/processor/turns';
import type { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { discountWrites } from './writes/discount-writes.ts';
import { featureWrites } from './writes/feature-writes.ts';
import { productWrites } from './writes/product-writes.ts';

type Request = z.output<typeof WriteCatalog.request>;

/**
 * Makes one write of an apply by the operations of the API, or says why the processor or a rule refuses it. The same operation key
 * has one effect, however often it comes.
 * @throws Problem `unavailable` when the processor does not respond
 */
export function writeCatalog(dependencies: Dependencies) {
  const [features, products] = [featureWrites(dependencies), productWrites(dependencies)];
  const discounts = discountWrites(dependencies);

  const write = ({ teamId, projectId, operationKey, audit, change }: Request): Promise<string> => {
    const writing = { scope: { teamId, projectId }, operationKey, audit };
    switch (change.write) {
      case 'create-feature':
        return features.create(writing, change);
      case 'update-feature':
        return features.update(writing, change);
      case 'create-product':
        return products.create(writing, change);
      case 'update-product':
        return products.update(writing, change);
      case 'create-price':
        return products.createPrice(writing, change);
      case 'update-price':
        return products.updatePrice(writing, change);
      case 'give-features':
        return features.give(writing, change);
      case 'create-coupon':
        return discounts.create(writing, change);
      case 'set-coupon-key':
        return discounts.setKey(writing, change);
      case 'create-code':
        return discounts.createCode(writing, change);
      case 'update-code':
        return discounts.updateCode(writing, change);
      default:
        return change satisfies never;
    }
  };
  return async (request: Request): Promise<z.output<typeof WriteCatalog.reply>> => {
    try {
      return { id: await write(request), refused: null };
    } catch (err) {
      if (!isFinal(err)) throw err;
      return { id: null, refused: describeFailure(err, 'The write was refused.') };
    }
  };
}
