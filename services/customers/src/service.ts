import { defineService } from '@billing/service/definition';
import { deleteCanceledOperations } from '@billing/processor/operation-log/operation-rows';
import { startReconciler } from '@billing/processor/operation-log/reconciler';
import { processorEnv, serviceEnv } from '@billing/service/env';
import { customerEvents } from './consumers/customers.ts';
import { taxIdEvents } from './consumers/tax-ids.ts';
import { openCustomersOperationLog } from './operations/open-operation-log.ts';
import { takeInBilling } from './operations/take-in-billing.ts';
import { customersSchema } from './persistence/schema.ts';
import { billingRoutes } from './routes/billing-details.ts';
import { customerRoutes } from './routes/customers.ts';
import { grantRoutes } from './routes/grants.ts';
import { billingRpc } from './rpc/billing-details.ts';
import { customerRpc } from './rpc/customers.ts';
import { testClockEvents } from './test-clocks/clock-events.ts';
import { deleteExpiredClocks } from './test-clocks/delete-test-clock.ts';
import { testClockRoutes } from './test-clocks/routes.ts';
import { advanceJob } from './test-clocks/run-advance.ts';
import { usageChecks } from './usage/check-usage.ts';
import { usageRoutes } from './usage/routes.ts';
import { usageJob } from './usage/send-usage.ts';
import { deleteOldUsage } from './usage/usage-rows.ts';

/** The parts of the customers service; the chassis runs them. */
export const customersService = () =>
  defineService({
    name: 'customers',
    env: serviceEnv.extend(processorEnv.shape),
    database: customersSchema,
    parts: ({ em, outbox, rpc, processors, now, logger }) => {
      const operationLog = openCustomersOperationLog({ outbox, processors, rpc, logger, now });
      const clocks = advanceJob({ outbox, rpc, processors, now, logger });
      const usage = usageJob({ em, outbox, processors, now, logger });
      const billing = { em, outbox, operationLog, processors, rpc, now };
      return {
        consumers: [customerEvents({ em, processors, logger, now }), taxIdEvents({ now }), testClockEvents({ now })],
        rpc: [...customerRpc(em), ...billingRpc(billing)],
        jobs: [
          () => startReconciler({ operationLog, logger }),
          clocks,
          usage,
          usageChecks({ em, outbox, processors, now, logger }),
        ],
        cleaning: [
          () => deleteCanceledOperations(em),
          () => deleteExpiredClocks(outbox, now),
          () => deleteOldUsage(em, now()),
        ],
        purge: {
          tables: [
            'remote_operations',
            'grants',
            'usage_queues',
            'usage_events',
            'usage_checks',
            'customer_identifiers',
            'customers',
            'test_clocks',
          ],
          kept: ['account_fences'],
        },
        routes: [
          customerRoutes({ em, outbox, operationLog, processors, takeInBilling: takeInBilling({ rpc, logger }), now }),
          billingRoutes(billing),
          testClockRoutes({ outbox, operationLog, processors, now, wake: clocks.wake }),
          grantRoutes({ em, outbox, rpc }),
          usageRoutes({ em, outbox, processors, now, onAccepted: usage.wake }),
        ],
      };
    },
  });
