import { CustomerCreated, CustomerUpdated } from '@billing/contracts/events/customers';
import { recordFilter } from '@billing/contracts/events/record-event';
import { type ProcessorEventData, type ProcessorEventType, processorEvent } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { FOUND_AT_PROCESSOR, sourceOf } from '@billing/service/event-causes';
import { readObject } from '@billing/processor/event-object';
import { readPlace } from '@billing/processor/snapshots/discounts';
import { readSchedule } from '@billing/processor/snapshots/schedule';
import { readInvoiceLinks } from '@billing/processor/snapshots/invoice';
import type { DiscountedCustomer } from '#copies/find-customers';
import type { Dependencies } from '../dependencies.ts';
import { scopeOf } from '../scope-of.ts';
import { isOurs } from './schedule.rules.ts';
import { rereadSubscriptions, type Concerned } from './reread-subscriptions.ts';

const TYPES: readonly ProcessorEventType[] = [
  'subscription_schedule.updated',
  'subscription_schedule.released',
  'subscription_schedule.canceled',
  'subscription_schedule.completed',
  'subscription_schedule.aborted',
];

/**
 * Keeps planned changes as the processor has them: what an event says of a schedule of ours has its place in the order of
 * the subscription's events only once that is read. Schedules of others change nothing here.
 */
export const scheduleEvents = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-schedules', 'processor.subscription_schedule.>').onProcessorEvent(
    TYPES,
    rereadSubscriptions(dependencies, {
      concernedBy: data => subscriptionOf(readObject(data, readSchedule).subscriptionId),
      isNeeded: ({ schedule }, { data }) => Boolean(schedule?.change) || isOurs(readObject(data, readSchedule)),
      sourceOf,
      isOnlySource: true,
    }),
  );

const subscriptionOf = (subscriptionId: string | null): Concerned | null =>
  subscriptionId === null ? null : { subscriptionId };

const DELETED = processorEvent('customer.discount.deleted').name;

/**
 * Keeps the discounts of subscriptions true: no event of the subscription need tell that one began or is over. That of a
 * customer concerns all subscriptions of the customer, also those that are recorded later.
 */
export const discountEvents = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-discounts', 'processor.customer.discount.*.v1').onProcessorEvent(
    ['customer.discount.created', 'customer.discount.updated', 'customer.discount.deleted'],
    rereadSubscriptions(dependencies, {
      concernedBy: data => {
        const { subscriptionId, customerId, isOfOnePurchase } = readObject(data, readPlace);
        if (subscriptionId !== null) return { subscriptionId };
        // One of an item need not name the subscription.
        return customerId === null || isOfOnePurchase ? null : { customerId };
      },
      isNeeded: ({ discounts }, { event, data: { object } }) => {
        const isRecorded = discounts.some(it => it.processorDiscountId === object['id']);
        return isRecorded === (event.type === DELETED);
      },
      sourceOf,
      isOnlySource: true,
      discountedBy: delivery => (delivery.event.type === DELETED ? null : customerDiscountOf(delivery)),
    }),
  );

/** Returns the customer that has the discount as such; null for a discount of something else. */
function customerDiscountOf(delivery: Delivery<ProcessorEventData>): DiscountedCustomer | null {
  const { discountId, customerId: id, subscriptionId, itemId, isOfOnePurchase } = readObject(delivery.data, readPlace);
  const isOfCustomer = subscriptionId === null && itemId === null && !isOfOnePurchase;
  return isOfCustomer && id !== null && discountId !== null ? { scope: scopeOf(delivery), id, discountId } : null;
}

/**
 * Keeps the discount of a customer true where no event of the discount came: it was there before the account was connected, or
 * a sync found it.
 */
export const customerDiscounts = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-customer-discounts', recordFilter('customer')).on(
    [CustomerCreated, CustomerUpdated],
    rereadSubscriptions(dependencies, {
      concernedBy: ({ processorCustomerId: customerId }) => ({ customerId }),
      isNeeded: ({ discounts }, { data: { discountId } }) =>
        (discounts.find(({ level }) => level === 'customer')?.processorDiscountId ?? null) !== discountId,
      sourceOf: ({ data: { updatedAt: at, change }, trace }) => ({
        at,
        cause: change?.cause ?? FOUND_AT_PROCESSOR,
        trace,
      }),
      isOnlySource: true,
      discountedBy: ({ teamId, data: { projectId, processorCustomerId: id, discountId } }) =>
        discountId === null ? null : { scope: { teamId, projectId }, id, discountId },
    }),
  );

const PaymentFailed = processorEvent('invoice.payment_failed');

/**
 * Keeps the reason true why a change waits for its payment: each attempt may fail for another one, and no event of the
 * subscription tells it. A consumer of its own does it, so that no invoice waits for it.
 */
export const pendingChanges = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-pending-changes', PaymentFailed.name).on(
    PaymentFailed,
    rereadSubscriptions(dependencies, {
      concernedBy: data => subscriptionOf(readObject(data, readInvoiceLinks).subscriptionId),
      isNeeded: ({ pendingChange }) => pendingChange !== null,
      sourceOf,
      isOnlySource: false,
    }),
  );
