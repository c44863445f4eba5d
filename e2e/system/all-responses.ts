import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { ANALYTICS_METRICS } from '@billing/contracts/resources/analytics';
import { ok } from './http.ts';
import type { Tenant } from './tenant.ts';

/** The name of the parameter in a path, and where lists have its values. */
const RESOURCES: Readonly<Record<string, { readonly list: string; readonly field: string }>> = {
  productId: { list: 'products', field: 'id' },
  priceId: { list: 'prices', field: 'id' },
  customerId: { list: 'customers', field: 'id' },
  externalId: { list: 'customers', field: 'externalId' },
  couponId: { list: 'coupons', field: 'id' },
  promotionCodeId: { list: 'promotionCodes', field: 'id' },
  featureKey: { list: 'features', field: 'key' },
  subscriptionId: { list: 'subscriptions', field: 'id' },
  invoiceId: { list: 'invoices', field: 'id' },
  paymentId: { list: 'payments', field: 'id' },
  code: { list: 'codes', field: 'code' },
  deadLetterId: { list: 'deadLetters', field: 'id' },
  eventId: { list: 'webhookEvents', field: 'id' },
  syncId: { list: 'syncs', field: 'id' },
  priceMigrationId: { list: 'priceMigrations', field: 'id' },
  webhookEndpointId: { list: 'webhookEndpoints', field: 'id' },
  webhookDeliveryId: { list: 'deliveries', field: 'id' },
  publicEventId: { list: 'events', field: 'id' },
};
/** Lists that leave something out unless a filter says otherwise. */
const WHOLE_LISTS = ['products', 'prices', 'subscriptions', 'codes'];
/** Fields that change by a read, and say when it was. */
const CHANGED_BY_READING = new Set(['lastUsedAt', 'asOf']);
/** It takes the ids of customers. */
const OF_CUSTOMERS = 'getAnalyticsCustomers';
/** It reads from the processor, and counts what came within the last hour. */
const ABOUT_NOW = 'getProcessorHealth';
const PAGE = 100;

type Json = Readonly<Record<string, unknown>>;
/** The response of each request, by its path. Lists are complete and sorted. */
export type Responses = Readonly<Record<string, Json>>;

/** Reads the response of every GET operation of the API for a tenant: of each resource, and of every list. */
export async function readAllResponses(tenant: Tenant): Promise<Responses> {
  const responses: Record<string, Json> = {};
  const idsOf = new Map<string, string[]>();
  const operations = allOperations.filter(({ method, id }) => method === 'GET' && id !== ABOUT_NOW);
  const [lists, single] = [
    operations.filter(it => missingParameters(it).length === 0 && it.id !== OF_CUSTOMERS),
    // What is below a resource, as `state/:featureKey`, the resource itself or a list shows.
    operations.filter(it => missingParameters(it).length === 1),
  ];
  for (const operation of lists)
    for (const query of queriesOf(operation)) {
      const path = `${pathFor(operation, tenant)}${query}`;
      const response = await readWhole(tenant, path);
      responses[path] = response;
      for (const [parameter, { list, field }] of Object.entries(RESOURCES))
        if (Array.isArray(response[list]) && response[list].every((item: Json) => field in item))
          idsOf.set(parameter, [
            ...(idsOf.get(parameter) ?? []),
            ...response[list].flatMap(({ [field]: id }: Json) => (typeof id === 'string' ? id : [])),
          ]);
    }
  for (const operation of operations.filter(({ id }) => id === OF_CUSTOMERS))
    for (const customerId of new Set(idsOf.get('customerId'))) {
      const path = `${pathFor(operation, tenant)}?ids=${customerId}`;
      responses[path] = await readWhole(tenant, path);
    }
  for (const operation of single) {
    const [parameter = ''] = missingParameters(operation);
    if (!RESOURCES[parameter]) throw new Error(`${operation.path}: no list has values of ${parameter}.`);
    for (const id of new Set(idsOf.get(parameter))) {
      const path = pathFor(operation, tenant).replace(`:${parameter}`, id);
      responses[path] = await readWhole(tenant, path);
    }
  }
  return responses;
}

const missingParameters = ({ path }: Operation): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter(name => name !== 'teamId' && name !== 'projectId');

const pathFor = ({ path }: Operation, { teamId, projectId }: Tenant): string =>
  path.replace(':teamId', teamId).replace(':projectId', projectId);

function queriesOf({ id, path }: Operation): string[] {
  if (id === 'listAnalyticsSubscriptions') return ANALYTICS_METRICS.map(metric => `?metric=${metric}`);
  return WHOLE_LISTS.some(list => path.endsWith(`/${list}`)) ? ['?activeOnly=false'] : [''];
}

/** Reads every page of a list as one sorted list. What is no list comes as it is. */
async function readWhole(tenant: Tenant, path: string): Promise<Json> {
  const first = withoutVolatile(await ok(tenant.user.get(path))) as Json;
  // Some lists are read by cursor alone.
  const isList = 'pagination' in first || 'nextCursor' in first;
  const listName = Object.keys(first).find(name => Array.isArray(first[name]) && isList);
  if (listName === undefined) return first;
  const items: unknown[] = [];
  const separator = path.includes('?') ? '&' : '?';
  for (let after: string | null = ''; after !== null;) {
    const body = await ok(tenant.user.get(`${path}${separator}limit=${PAGE}${after}`));
    items.push(...body[listName]);
    const { nextCursor, hasMore = nextCursor !== null } = body.pagination ?? body;
    after = hasMore ? `&cursor=${nextCursor}` : null;
  }
  const sorted = items.map(withoutVolatile).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { [listName]: sorted, total: sorted.length };
}

function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !CHANGED_BY_READING.has(name));
  return Object.fromEntries(kept.map(([name, of]) => [name, withoutVolatile(of)]));
}
