import { rpcHandler, type RpcHandler } from '@billing/service/definition';
import {
  DescribeCustomerBilling,
  PauseCustomerSubscription,
  ScheduleCancellation,
} from '@billing/contracts/rpc/as-customer';
import { CountSubscriptionsOfPrices } from '@billing/contracts/rpc/catalog';
import { CountMirrored, CountStoppedTax } from '@billing/contracts/rpc/accounts';
import { ListSubscriptionStates } from '@billing/contracts/rpc/list-states';
import { CompareObjects, ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { countMirrored } from '@billing/processor/operation-log/account-fence';
import type { Dependencies } from '../dependencies.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import { countOfPrices } from './count-of-prices.ts';
import { describeBilling } from './describe-billing.ts';
import { listLiveSubscriptions } from './list-live-subscriptions.ts';
import { listStates } from './list-states.ts';
import { pauseCollection } from './pause-collection.ts';
import { scheduleCancellation } from './schedule-cancellation.ts';
import { countStoppedTax } from './stopped-tax.ts';
import { toState } from './subscription.entity.ts';

/** What the portal shows, cancels and pauses, and what a rebuild and a sync need. */
export function recordRpc(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'outbox' | 'processors' | 'operationLog' | 'now'>,
): RpcHandler[] {
  const { em } = dependencies;
  const describe = describeBilling(dependencies);
  const schedule = scheduleCancellation(dependencies);
  const pause = pauseCollection(dependencies);
  return [
    rpcHandler(DescribeCustomerBilling, ({ customerId, invoiceLimit: limit, invoiceOffset: offset, ...scope }) =>
      describe(scope, customerId, { limit, offset }),
    ),
    rpcHandler(ScheduleCancellation, async ({ teamId, projectId, subscriptionId: id, customerId, audit, ...wanted }) =>
      toState(await schedule({ teamId, projectId }, { id, customerId }, wanted, audit)),
    ),
    rpcHandler(PauseCustomerSubscription, async ({ teamId, projectId, subscriptionId: id, customerId, ...wanted }) => {
      const { resumesAt, audit, operationKey } = wanted;
      const pauseWanted = { invoices: 'void' as const, resumesAt: resumesAt ?? undefined };
      return toState(await pause({ teamId, projectId }, { id, customerId }, pauseWanted, audit, operationKey));
    }),
    rpcHandler(CountSubscriptionsOfPrices, countOfPrices(em)),
    rpcHandler(ListSubscriptionStates, listStates(em)),
    rpcHandler(
      CountMirrored.subscriptions,
      countMirrored(em, {
        subscriptions: 'subscriptions where true',
        invoices: 'invoices where true',
        payments: 'payments where true',
        checkoutSessions: `checkout_sessions where state = 'open'`,
      }),
    ),
    rpcHandler(CountStoppedTax, async ({ teamId }) => ({ subscriptions: await countStoppedTax(em.fork(), teamId) })),
    rpcHandler(CompareObjects.subscriptions, compareSubscriptions(em)),
    rpcHandler(ListLiveRecords.subscriptions, listLiveSubscriptions(em)),
  ];
}
