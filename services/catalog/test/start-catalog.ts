import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService } from '@billing/service/testing/start-test-service';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { FindPromotionCode } from '@billing/contracts/rpc/calls';
import { controlOperationLog, reconcileOnce } from '@billing/processor/operation-log/testing';
import { routedEvent } from '@billing/testing/processor-events';
import type { z } from 'zod';
import { openCatalogOperationLog } from '../src/operations/open-operation-log.ts';
import { catalogService } from '../src/service.ts';

/** Starts the catalog in this process, with a database, a bus and a processor account of its own. */
export async function startCatalog(options: { readonly outboxHighWater?: number } = {}) {
  const account = await startTestAccount();
  const service = await startTestService(catalogService(), { ...options, account });
  const { em, outbox, processors, logger, now } = service;
  const operationLog = openCatalogOperationLog({ outbox, processors, logger, now });

  return {
    ...account,
    ...service,
    account,
    operationLog,
    /** The account's events so far, oldest first, as the bus carries them to the project; only of `types` if given. */
    events: (...types: ProcessorEventType[]) => account.events(service.scope, ...types),
    /** What a sync hands to the catalog: every object as it is now. */
    synced: async (type: 'product' | 'price' | 'coupon' | 'promotion_code') => {
      const { objects, readAt: createdAt } = await account.processor.listObjects(type);
      return objects.map(object => {
        const event = routedEvent(service.scope, `${type}.updated`, object, { createdAt });
        return { ...event, data: { ...Object(event.data), fromSync: true } };
      });
    },
    ...controlOperationLog(em),
    /** Does what the reconciler does, once. */
    reconcile: () => reconcileOnce(operationLog),
    createProduct: async (body: object = { name: 'Pro' }) =>
      (await service.call('POST', '/products', { body })).body.product,
    createPrice: async (productId: string, body: object = {}) => {
      const price = { productId, unitAmount: 2_999, currency: 'usd', interval: 'month', ...body };
      return (await service.call('POST', '/prices', { body: price })).body.price;
    },
    createCoupon: async (body: object = {}) => {
      const coupon = { name: 'Spring', percentOff: 20, duration: 'forever', ...body };
      return (await service.call('POST', '/coupons', { body: coupon })).body.coupon;
    },
    createPromotionCode: async (couponId: string, body: object = {}) =>
      (await service.call('POST', '/promotion-codes', { body: { couponId, ...body } })).body.promotionCode,
    /** Redeems a promotion code at the processor, by a subscription to a product; all ids are the processor's. */
    redeem: async (promotion_code: string, { customer, product }: { customer: string; product: string }) => {
      const { prices, subscriptions } = account.dashboard;
      const recurring = { interval: 'month' } as const;
      const { id: price } = await prices.create({ product, currency: 'usd', unit_amount: 100, recurring });
      const billing = { collection_method: 'send_invoice', days_until_due: 7 } as const;
      await subscriptions.create({ customer, ...billing, items: [{ price }], discounts: [{ promotion_code }] });
    },
    /** Calls the RPC as a subscription to one product would. */
    findPromotionCode: (promotionCode: string, of: Partial<z.output<typeof FindPromotionCode.request>> = {}) => {
      const purchase = { processorCustomerId: 'cus_1', currency: 'usd', productIds: [] };
      return service.rpc.call(FindPromotionCode, { ...service.scope, ...purchase, promotionCode, ...of });
    },
  };
}

export type Catalog = Awaited<ReturnType<typeof startCatalog>>;
