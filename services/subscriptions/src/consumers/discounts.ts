import { processorEvent } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Dependencies } from '../dependencies.ts';
import { rereadSubscriptions } from './reread-subscriptions.ts';

const DELETED = processorEvent('customer.discount.deleted').name;

/**
 * Keeps the discounts of subscriptions true: no event of the subscription need tell that one began or is over. Those of a
 * customer are none of a subscription.
 */
export const discountEvents = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-discounts', 'processor.customer.discount.*.v1').onProcessorEvent(
    ['customer.discount.created', 'customer.discount.updated', 'customer.discount.deleted'],
    rereadSubscriptions(dependencies, {
      subscriptionIdOf: ({ object }) => (typeof object['subscription'] === 'string' ? object['subscription'] : null),
      isNeeded: ({ discounts }, { event, data: { object } }) => {
        const isRecorded = discounts.some(it => it.processorDiscountId === object['id']);
        return isRecorded === (event.type === DELETED);
      },
      isOnlySource: true,
    }),
  );
