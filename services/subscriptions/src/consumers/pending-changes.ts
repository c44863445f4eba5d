import { processorEvent } from '@billing/contracts/processor-events';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { readObject } from '@billing/processor/event-object';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import type { Dependencies } from '../dependencies.ts';
import { rereadSubscriptions } from './reread-subscriptions.ts';

const PaymentFailed = processorEvent('invoice.payment_failed');

/**
 * Keeps the reason true why a change waits for its payment: each attempt may fail for another one, and no event of the
 * subscription tells it. A consumer of its own does it, so that no invoice waits for it.
 */
export const pendingChanges = (dependencies: Pick<Dependencies, 'em' | 'processors' | 'now'>): Consumer =>
  consumer('subscriptions-pending-changes', PaymentFailed.name).on(
    PaymentFailed,
    rereadSubscriptions(dependencies, {
      subscriptionIdOf: data => readObject(data, readInvoice).subscriptionId,
      isNeeded: ({ pendingChange }) => pendingChange !== null,
      isOnlySource: false,
    }),
  );
