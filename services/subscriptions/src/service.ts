import { defineService } from '@billing/service/definition';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { processorEnv, serviceEnv } from '@billing/service/env';
import { openSubscriptionsOperationLog } from '#operations/open-operation-log.ts';
import { subscriptionsSchema } from '#persistence/schema.ts';
import { checkoutEvents } from './consumers/checkout-events.ts';
import { copies } from './consumers/copies.ts';
import { invoiceEvents } from './consumers/invoice-events.ts';
import { chargeEvents, paymentIntentEvents } from './consumers/payment-events.ts';
import { deletedCustomerEvents, subscriptionEvents } from './consumers/subscription-events.ts';
import { checkoutRoutes } from './routes/checkout.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { subscriptionRpc } from './rpc/subscriptions.ts';

/** The parts of the subscriptions service; the chassis runs them. */
export const subscriptionsService = () =>
  defineService({
    name: 'subscriptions',
    env: serviceEnv.extend(processorEnv.shape),
    database: subscriptionsSchema,
    parts: ({ em, outbox, rpc, processors, logger, now }) => {
      const operationLog = openSubscriptionsOperationLog({ outbox, processors, logger, now });
      const dependencies = { em, outbox, rpc, processors, operationLog, now };
      return {
        consumers: [
          ...copies(dependencies),
          checkoutEvents(dependencies),
          subscriptionEvents(dependencies),
          deletedCustomerEvents(dependencies),
          invoiceEvents(dependencies),
          paymentIntentEvents(dependencies),
          chargeEvents(dependencies),
        ],
        rpc: subscriptionRpc(dependencies),
        jobs: [() => startReconciler({ operationLog, logger })],
        cleaning: [() => deleteCanceledOperations(em)],
        routes: [subscriptionRoutes(dependencies), checkoutRoutes(dependencies), invoiceRoutes(dependencies)],
      };
    },
  });
