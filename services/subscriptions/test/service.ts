import { startTestAccount } from '@billing/service/testing/test-account';
import { startTestService, type TestServiceOptions } from '@billing/service/testing/start-test-service';
import type { Envelope } from '@billing/contracts/event';
import { isHandled, PROCESSOR_EVENT_OWNERS } from '@billing/contracts/processor-events';
import { toDelivery } from '@billing/messaging/bus';
import { receiverOf } from '@billing/messaging/consumer/consume';
import type { Acknowledgement } from '@billing/messaging/consumer/delivery';
import { controlOperationLog, reconcileOnce } from '@billing/processor/operation-log/testing';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import { subscriptionsService } from '../src/service.ts';
import { serveOtherServices } from './other-services.ts';

/** The types of processor events that this service owns. */
export const OWNED_TYPES = Object.keys(PROCESSOR_EVENT_OWNERS)
  .filter(isHandled)
  .filter(type => PROCESSOR_EVENT_OWNERS[type] === 'subscriptions');

/**
 * Starts the service in this process, with a database, a bus and a processor account of its own; customers and catalog
 * are stand-ins that serve their RPC calls.
 */
export async function startService({ now }: Pick<TestServiceOptions, 'now'> = {}) {
  const account = await startTestAccount();
  const service = await startTestService(subscriptionsService(), { account, ...(now && { now }) });
  const { processor, control } = account;
  const otherServices = await serveOtherServices({ processor, serve: service.serve, scope: service.scope });
  const operations = controlOperationLog(service.em);
  return {
    ...service,
    ...otherServices,
    ...operations,
    account,
    processor,
    control,
    /** Does what the reconciler does, with all operations that are left. */
    runOperations: async (): Promise<void> => {
      await operations.makeDue();
      await reconcileOnce(openSubscriptionsOperationLog(service));
    },
    /** Hands an event to one consumer once. */
    deliverOnce: async (consumerName: string, event: Envelope, attempt = 1): Promise<Acknowledgement['kind']> => {
      const consumer = service.parts.consumers.find(({ name }) => name === consumerName);
      if (!consumer) throw new Error(`There is no consumer ${consumerName}.`);
      return (await receiverOf(consumer, service)(toDelivery(event, attempt))).kind;
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** The processor's object in one of its events. */
export function objectOf({ data }: Envelope): Readonly<Record<string, unknown>> {
  return (data as { object: Record<string, unknown> }).object; // every routed event has one
}
