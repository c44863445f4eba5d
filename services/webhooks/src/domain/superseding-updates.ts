import type { ProcessorEventType } from '@billing/contracts/processor-events';

/**
 * Updates whose handlers record the newest state alone; those of customers may go to several projects. An index of the stored
 * events finds them by their object: it needs a migration when this list changes.
 */
export const SUPERSEDING_UPDATES: readonly ProcessorEventType[] = [
  'customer.subscription.updated',
  'invoice.updated',
  'product.updated',
  'price.updated',
];

/** The condition under which a row of `webhook_events` is one of them. PostgreSQL takes the index for a statement that has it. */
export const IS_SUPERSEDING_UPDATE = `type in (${SUPERSEDING_UPDATES.map(type => `'${type}'`).join(', ')})`;
