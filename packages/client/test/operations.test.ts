import { allOperations } from '@billing/contracts/operations/index';
import { expect, it } from 'vitest';
import { BillingClient } from '../src/index.ts';
import { List } from '../src/pages.ts';

const PROJECT = '/api/service/teams/:teamId/projects/:projectId';

it('has exactly one method for each operation that API keys may call', async () => {
  const called = new Set<string>();
  const ids: Record<string, string> = {
    features: ':featureKey',
    products: ':productId',
    prices: ':priceId',
    customers: ':customerId',
    usage: ':customerId',
    subscriptions: ':subscriptionId',
    coupons: ':couponId',
    promotionCodes: ':promotionCodeId',
    invoices: ':invoiceId',
    payments: ':paymentId',
    referrals: ':code',
    portal: ':sessionId',
    syncs: ':syncId',
    testClocks: ':testClockId',
    priceMigrations: ':priceMigrationId',
    events: ':publicEventId',
    webhookEndpoints: ':webhookEndpointId',
    webhookDeliveries: ':webhookDeliveryId',
  };
  const client = new BillingClient({
    baseUrl: 'http://billing.example',
    apiKey: 'bil_test_1',
    teamId: ':teamId',
    projectId: ':projectId',
    fetch: async (url, init) => {
      called.add(
        `${init?.method} ${decodeURIComponent(new Request(url).url.slice('http://billing.example'.length).split('?')[0] ?? '')}`,
      );
      return Response.json({ pagination: {} });
    },
  });

  /** Of what belongs to another resource, and has a key in it. */
  const owners: Record<string, readonly unknown[]> = {
    productFeatures: [':productId'],
    priceFeatures: [':priceId'],
    grants: [':customerId'],
    billingDetails: [':customerId'],
    states: [':customerId', { externalId: ':externalId' }],
  };
  for (const [resource, methods] of Object.entries(client))
    for (const [name, method] of Object.entries(methods)) {
      const call = method as (...args: unknown[]) => unknown; // every method accepts an id and a body, or a body
      for (const owner of owners[resource] ?? [])
        await (name === 'list' || (name === 'get' && resource === 'states')
          ? call(owner)
          : call(owner, ':featureKey', {}));
      if (resource in owners) continue;
      const takesId =
        /^(?:get|update|previewChange|previewCancel|previewUnpause|pause|unpause|change|dropChange|setDiscount|setTax|setTrialEnd|setTestCard|advance|delete|cancel|resume|deactivate|revoke|findings|retry|refund|void|mark|finalize|rotate|test|send|recover|sumUp|\w+InvoiceItem)/.test(
          name,
        ) && name !== 'updateConfig';
      const takesIds = resource === 'analytics' && name === 'customers';
      const result = await (takesId
        ? call(
            name === 'retryCredit' ? ':creditId' : (ids[resource] ?? {}),
            name === 'deleteInvoiceItem' ? ':itemId' : {},
          )
        : call(takesIds ? [] : {}));
      if (result instanceof List) await result.page();
    }

  const declared = allOperations.filter(({ access }) => access.kind === 'project');
  expect([...called].toSorted()).toEqual(declared.map(({ method, path }) => `${method} ${path}`).toSorted());
  expect(declared.every(({ path }) => path.startsWith(PROJECT))).toBe(true);
});
