import { METHOD_CLASSES } from './method-table.ts';
import { NAMES } from './names.ts';
import { idsOf, listOf, operationOf } from './operations.ts';

/** Calls of the methods in `own-methods.ts`. `said` is what a cancellation says, `external` your own id of a customer. */
const OWN_CALLS = {
  getCustomerState: 'states.get(customerId, query)',
  getExternalCustomerState: 'states.get(external, query)',
  getCustomerFeature: 'states.check(customerId, featureKey)',
  getExternalCustomerFeature: 'states.check(external, featureKey)',
  updateSubscription: 'subscriptions.cancelAtPeriodEnd(subscriptionId, said)',
  cancelSubscription: 'subscriptions.cancelNow(subscriptionId, body)',
  createCheckout: 'checkout.create(body)',
  dropPlanChange: 'subscriptions.dropChange(subscriptionId)',
  listDunningCases: 'dunning.list(query).page()',
  getAnalyticsCustomers: 'analytics.customers(ids)',
} as const;

/** Returns how `BillingClient` calls each operation, by its id: with the names of its parameters, `body` and `query`. */
export function clientCalls(): ReadonlyMap<string, string> {
  const { root = '', resources = {} } = METHOD_CLASSES['ProjectMethods'] ?? {};
  const calls = Object.entries(resources).flatMap(([resource, [, methods]]) =>
    Object.entries(methods).map(([method, id]) => [id, callOf(`${resource}.${method}`, id, root)] as const),
  );
  return new Map([...calls, ...Object.entries(OWN_CALLS)]);
}

function callOf(method: string, id: string, root: string): string {
  const operation = operationOf(id);
  const isRead = operation.method === 'GET';
  const sent = [operation.body && 'body', isRead && operation.query && 'query'].filter(Boolean);
  const isList = NAMES[id]?.response === undefined && listOf(operation) !== undefined;
  return `${method}(${[...idsOf(operation, root), ...sent].join(', ')})${isList ? '.page()' : ''}`;
}
