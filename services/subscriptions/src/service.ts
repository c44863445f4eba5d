import { defineService } from '@billing/service/definition';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { openSignedTraces } from '@billing/processor/signed-trace';
import { turnJob } from '@billing/processor/turns';
import { openSubscriptionsOperationLog } from '#operations/open-operation-log.ts';
import { cleanPriceMigrations, leaseMigrations, runMigration } from '#operations/migrate-prices.ts';
import { customerIntakes } from '#operations/take-in-billing.ts';
import { publishStates } from '#operations/publish-states.ts';
import { subscriptionsSchema } from '#persistence/schema.ts';
import { checkoutEvents } from './consumers/checkout-events.ts';
import { copies } from './consumers/copies.ts';
import { discountEvents } from './consumers/discounts.ts';
import { invoiceEvents } from './consumers/invoice-events.ts';
import { attemptedInvoices } from './consumers/attempted-invoices.ts';
import { chargeEvents, invoicePaymentEvents, paymentIntentEvents, refundEvents } from './consumers/payment-events.ts';
import { pendingChanges } from './consumers/pending-changes.ts';
import { deletedCustomerEvents, subscriptionEvents } from './consumers/subscription-events.ts';
import { scheduleEvents } from './consumers/schedule-events.ts';
import { subscriptionsEnv } from './env.ts';
import { startIntakes } from './jobs/start-intakes.ts';
import { startPublishingStates } from './jobs/start-publishing-states.ts';
import { checkoutRoutes } from './routes/checkout.ts';
import { dunningRoutes } from './routes/dunning.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import { paymentRoutes } from './routes/payments.ts';
import { planChangeRoutes } from './routes/plan-changes.ts';
import { priceMigrationRoutes } from './routes/price-migrations.ts';
import { stateRoutes } from './routes/state.ts';
import { subscriptionRoutes } from './routes/subscriptions.ts';
import { subscriptionRpc } from './rpc/subscriptions.ts';

/** The parts of the subscriptions service; the chassis runs them. */
export const subscriptionsService = () =>
  defineService({
    name: 'subscriptions',
    env: subscriptionsEnv,
    database: subscriptionsSchema,
    parts: ({ env, em, outbox, rpc, processors, isOverloaded, logger, now }) => {
      const traces = openSignedTraces(env.SERVICE_KEY);
      const operationLog = openSubscriptionsOperationLog({ outbox, processors, rpc, logger, now });
      const dependencies = { em, outbox, rpc, processors, operationLog, traces, logger, now };
      const intakes = customerIntakes(dependencies);
      const migrations = turnJob({
        name: 'price-migrations',
        lease: async limit => (isOverloaded() ? [] : leaseMigrations(em, limit)),
        run: runMigration({ ...dependencies, requestsPerSecond: env.PRICE_MIGRATION_REQUESTS_PER_SECOND }),
        logger,
      });
      return {
        consumers: [
          ...copies(dependencies),
          checkoutEvents(dependencies),
          subscriptionEvents(dependencies),
          scheduleEvents(dependencies),
          discountEvents(dependencies),
          deletedCustomerEvents(dependencies),
          invoiceEvents(dependencies),
          paymentIntentEvents(dependencies),
          chargeEvents(dependencies),
          refundEvents(dependencies),
          ...attemptedInvoices(dependencies),
          pendingChanges(dependencies),
          invoicePaymentEvents(dependencies),
        ],
        rpc: subscriptionRpc({ ...dependencies, intakes }),
        jobs: [
          migrations,
          () => startReconciler({ operationLog, logger }),
          () => startIntakes({ intakes, logger }),
          () => startPublishingStates({ ...dependencies, publishStates: publishStates(dependencies) }),
        ],
        cleaning: [() => deleteCanceledOperations(em), () => cleanPriceMigrations(em)],
        purge: {
          tables: [
            'remote_operations',
            'migrated_subscriptions',
            'price_migrations',
            'customer_state_marks',
            'customer_intakes',
            'checkout_sessions',
            'payments',
            'invoices',
            'shown_states',
            'deleted_invoices',
            'subscriptions',
            'grant_copies',
            'product_feature_copies',
            'customer_copies',
            'customer_states',
            'price_copies',
            'discount_copies',
            'product_copies',
          ],
          kept: ['feature_copies', 'project_copies'],
        },
        routes: [
          subscriptionRoutes(dependencies),
          checkoutRoutes(dependencies),
          invoiceRoutes(dependencies),
          dunningRoutes(dependencies),
          paymentRoutes(dependencies),
          planChangeRoutes(dependencies),
          priceMigrationRoutes({ ...dependencies, onQueued: migrations.wake }),
          stateRoutes(dependencies),
        ],
      };
    },
  });
