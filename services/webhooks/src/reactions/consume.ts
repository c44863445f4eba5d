import type { EntityManager } from '@mikro-orm/postgresql';
import type { Bus, Receive } from '@billing/messaging/bus';
import { TOGETHER } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { reactToCustomers, reactToPrices, reactToProducts, reactToProjects, reactToSubscriptions } from './routes.ts';
import { reactToSettlements } from './completions.ts';

interface ConsumeParts {
  readonly em: EntityManager;
  readonly bus: Pick<Bus, 'consume'>;
  readonly logger: Logger;
  /** Hears that events may have become due. */
  readonly onRoute: () => void;
}

/** Starts every consumer; answers the function that stops them. */
export async function consumeFacts({ em, bus, logger, onRoute }: ConsumeParts): Promise<() => Promise<void>> {
  const waking =
    (receive: Receive): Receive =>
    async (event, attempt) => {
      const verdict = await receive(event, attempt);
      onRoute();
      return verdict;
    };
  const stops = [
    await bus.consume('webhooks-projects', 'project.*.v1', reactToProjects(em, logger).receive),
    await bus.consume('webhooks-customers', 'customer.*.v1', waking(reactToCustomers(em, logger).receive)),
    await bus.consume(
      'webhooks-new-subscriptions',
      'subscription.created.v1',
      waking(reactToSubscriptions(em, logger).receive),
      TOGETHER,
    ),
    await bus.consume('webhooks-products', 'product.*.v1', waking(reactToProducts(em, logger).receive)),
    await bus.consume('webhooks-prices', 'price.*.v1', waking(reactToPrices(em, logger).receive)),
    await bus.consume(
      'webhooks-settled',
      'processor-event.completed.v1',
      reactToSettlements(em, logger).receive,
      TOGETHER,
    ),
  ];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}
