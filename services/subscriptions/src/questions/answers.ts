import type { NatsConnection } from '@nats-io/transport-node';
import { DescribeCustomerBilling, HasSubscribed, ScheduleCancellation } from '@billing/contracts/rpc/calls';
import { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { serveRpc } from '@billing/messaging/rpc';
import { describeBilling } from '#operations/describe-billing.ts';
import { hasSubscribed } from '#operations/has-subscribed.ts';
import { scheduleCancellation } from '#operations/order-cancellation.ts';
import { toState } from '#wire/subscription.ts';
import type { Dependencies } from '../dependencies.ts';
import { listSubscriptionStates } from './records.ts';

/** Answers what other services ask; the function it answers stops that. */
export function answerQuestions(
  { nats, root }: { nats: NatsConnection; root: string },
  dependencies: Dependencies,
): () => Promise<void> {
  const { em, logger } = dependencies;
  const schedule = scheduleCancellation(dependencies);
  const stops = [
    serveRpc({ nats, root, logger }, HasSubscribed, async ({ customerId, ...scope }) => ({
      subscribed: await hasSubscribed(em.fork(), scope, customerId),
    })),
    serveRpc({ nats, root, logger }, DescribeCustomerBilling, ({ customerId, invoiceLimit, invoiceOffset, ...scope }) =>
      describeBilling(em.fork(), scope, customerId, { limit: invoiceLimit, offset: invoiceOffset }),
    ),
    serveRpc(
      { nats, root, logger },
      ScheduleCancellation,
      async ({ subscriptionId: id, customerId, cancelAtPeriodEnd, ...scope }) =>
        toState(await schedule(scope, { id, customerId }, cancelAtPeriodEnd)),
    ),
    serveRpc({ nats, root, logger }, ListSubscriptionStates, listSubscriptionStates(em)),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}
