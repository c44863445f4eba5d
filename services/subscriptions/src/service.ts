import { defineService } from '@billing/service/definition';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { openSignedTraces } from '@billing/processor/signed-trace';
import { turnJob } from '@billing/processor/turns';
import { openSubscriptionsOperationLog } from './open-operation-log.ts';
import { cleanPriceMigrations, leaseMigrations, runMigration } from './price-migrations/migrate-prices.ts';
import { customerIntakes, startIntakes } from './intake/take-in-billing.ts';
import { stateGauge } from './state/mark-turns.ts';
import { startPublishingStates } from './state/publish-states.ts';
import { subscriptionsSchema } from './schema.ts';
import { checkoutEvents } from './checkout/checkout-events.ts';
import { copies } from './copies/copy-events.ts';
import { customerDiscounts, discountEvents, pendingChanges, scheduleEvents } from './record/reread-events.ts';
import { invoiceEvents } from './money/invoice-events.ts';
import { attemptedInvoices } from './money/attempted-invoices.ts';
import { chargeEvents, invoicePaymentEvents, paymentIntentEvents, refundEvents } from './money/payment-events.ts';
import { billingDetailsEvents } from './record/stopped-tax.ts';
import { deletedCustomerEvents, subscriptionEvents } from './record/subscription-events.ts';
import { subscriptionsEnv } from './env.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { invoicingRoutes } from './invoicing/routes.ts';
import { dunningRoutes, invoiceRoutes, paymentRoutes } from './money/routes.ts';
import { planChangeRoutes } from './plan-changes/routes.ts';
import { priceMigrationRoutes } from './price-migrations/routes.ts';
import { stateRoutes } from './state/routes.ts';
import { subscriptionRoutes } from './record/routes.ts';
import { intakeRpc } from './intake/rpc.ts';
import { planChangeRpc } from './plan-changes/rpc.ts';
import { recordRpc } from './record/rpc.ts';

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
          customerDiscounts(dependencies),
          billingDetailsEvents(),
          deletedCustomerEvents(dependencies),
          invoiceEvents(dependencies),
          paymentIntentEvents(dependencies),
          chargeEvents(dependencies),
          refundEvents(dependencies),
          ...attemptedInvoices(dependencies),
          pendingChanges(dependencies),
          invoicePaymentEvents(dependencies),
        ],
        rpc: [...recordRpc(dependencies), ...planChangeRpc(dependencies), ...intakeRpc({ ...dependencies, intakes })],
        jobs: [
          migrations,
          () => startReconciler({ operationLog, logger }),
          () => startIntakes({ intakes, logger }),
          () => startPublishingStates({ ...dependencies, isOverloaded }),
        ],
        gauges: [stateGauge(em)],
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
            'tax_locations',
            'customer_states',
            'price_copies',
            'discount_copies',
            'product_copies',
          ],
          kept: ['feature_copies', 'project_copies', 'account_fences'],
        },
        routes: [
          subscriptionRoutes(dependencies),
          checkoutRoutes(dependencies),
          invoiceRoutes(dependencies),
          invoicingRoutes(dependencies),
          dunningRoutes(dependencies),
          paymentRoutes(dependencies),
          planChangeRoutes(dependencies),
          priceMigrationRoutes({ ...dependencies, onQueued: migrations.wake }),
          stateRoutes(dependencies),
        ],
      };
    },
  });
