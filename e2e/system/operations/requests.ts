import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { z } from 'zod';
import { Caller } from '../http.ts';
import { newEmail, type Tenant } from '../tenant.ts';
import { ID_NAMES, unknownIds, type Resources } from './resources.ts';

/** A place of a request in which the id of a resource stands. */
export interface IdPlace {
  readonly part: 'path' | 'query' | 'body';
  readonly name: string;
  /** The resource whose id it is. */
  readonly resource: keyof Resources;
}

/** A request to a declared operation. */
export interface OperationRequest {
  readonly method: Operation['method'];
  readonly path: string;
  readonly body?: unknown;
}

type Names = Pick<Tenant, 'teamId' | 'projectId'>;

/** Names of other things than resources: who calls, and texts of the tenant's own. */
const FREE_NAMES = new Set([
  'teamId',
  'projectId',
  'token',
  'invitationToken',
  'clientReferenceId',
  'externalId',
  'taxIds',
]);

/** The resource whose id a name stands for in some operations, where it means another one than in the rest; null for a text of the caller's own. */
const NAMED_BY_OPERATION: Readonly<Record<string, Readonly<Record<string, keyof Resources | null>>>> = {
  code: { createPromotionCode: null, listPromotionCodes: 'promotionCodeText' },
  fromPriceId: { createPriceMigration: 'priceId' },
  toPriceId: { createPriceMigration: 'priceId' },
  reportId: { applyCatalog: 'syncId' },
  productIds: { createCoupon: 'productId' },
  promotionCode: {
    createCheckout: 'promotionCodeId',
    previewCheckout: 'promotionCodeId',
    previewPlanChange: 'promotionCodeId',
    changePlan: 'promotionCodeId',
    setSubscriptionDiscount: 'promotionCodeId',
    previewInvoice: 'promotionCodeId',
    createInvoice: 'promotionCodeId',
  },
  processorId: {
    listCustomers: 'processorCustomerId',
    listSubscriptions: 'processorSubscriptionId',
    listInvoices: 'processorInvoiceId',
    listPayments: 'processorPaymentIntentId',
  },
  objectId: {
    listWebhookEvents: 'processorSubscriptionId',
    listTeamWebhookEvents: 'processorSubscriptionId',
    listEvents: 'customerId',
  },
  eventId: { sendWebhookEvent: 'publicEventId', listWebhookDeliveries: 'publicEventId' },
  endpointId: { listWebhookDeliveries: 'webhookEndpointId' },
  items: { previewPlanChange: 'priceId', changePlan: 'priceId' },
  lines: { previewInvoice: 'priceId', createInvoice: 'priceId' },
  externalId: { getExternalCustomerState: 'externalCustomerId', getExternalCustomerFeature: 'externalCustomerId' },
  ids: {
    listSubscriptions: 'subscriptionId',
    listInvoices: 'invoiceId',
    listCustomers: 'customerId',
    getAnalyticsCustomers: 'customerId',
  },
  priceIds: { listCustomersByMrr: 'priceId' },
};

/** What is needed beside an id in bodies that have one of several forms. */
const FORMS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  createInvoiceItem: { priceId: {}, productId: { unitAmount: 4_900 } },
  applyCatalog: { reportId: { catalog: { version: 1 }, mode: 'apply' } },
};

/**
 * Returns every place in which an operation takes the id of a resource.
 * @throws Error for a name that `Resources` does not have: add it there
 */
export function idPlacesOf({ id, path, query, body }: Operation): IdPlace[] {
  const places = [
    ...Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => ({ part: 'path' as const, name })),
    ...fieldsOf(query).map(name => ({ part: 'query' as const, name })),
    ...fieldsOf(body).map(name => ({ part: 'body' as const, name })),
  ];
  return places.flatMap(({ part, name }) => {
    const resource = resourceOf(id, name);
    if (resource) return [{ part, name, resource }];
    if (FREE_NAMES.has(name) || !(part === 'path' || /(^i|I)ds?$/.test(name))) return [];
    throw new Error(`${id} takes ${name}, of which no test has a resource.`);
  });
}

function resourceOf(operationId: string, name: string): keyof Resources | undefined {
  const named = NAMED_BY_OPERATION[name]?.[operationId];
  return named === undefined ? ID_NAMES.find(it => it === name) : (named ?? undefined);
}

/** Returns the names of an object's fields; none without a schema. */
export function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (!schema) return [];
  // Without the registry of ids, by which a named schema would be a reference.
  const { properties, anyOf = [] } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    metadata: z.registry(),
  });
  const all = [properties, ...anyOf.map(one => (typeof one === 'object' ? one.properties : undefined))];
  return all.flatMap(fields => Object.keys(fields ?? {}));
}

/**
 * Returns a valid request, as the operation's example shows, to the tenant's project and with these resources, by default
 * with ids that name nothing; their `token` opens the portal. `at` replaces the id in one place by that of `there`.
 */
export function requestTo(
  operation: Operation,
  { teamId, projectId }: Names,
  resources: Resources & { readonly token?: string } = unknownIds(),
  at?: IdPlace & { readonly there: Resources },
): OperationRequest {
  const fill = (part: IdPlace['part'], name: string, example: unknown): unknown => {
    if (name === 'email') return newEmail();
    const resource = resourceOf(operation.id, name);
    // The example of a line has no id.
    if (!resource || (name === 'lines' && at?.name !== name)) return example;
    const id = at?.part === part && at.name === name ? at.there[resource] : resources[resource];
    if (name === 'items' || name === 'lines') return [{ [resource]: id }];
    return part === 'body' && name.endsWith('Ids') ? [id] : id;
  };
  const { method, path, query, body, example } = operation;
  const ids: Record<string, unknown> = { teamId, projectId, token: resources.token };
  const filledPath = path.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name] ?? fill('path', name, 'none')));
  // A filter by id stands alone, so that nothing else hides what it selects.
  const filters = at?.part === 'query' ? { [at.name]: '' } : (example.query ?? {});
  const parameters = Object.entries(filters).map(([name, value]) => [name, String(fill('query', name, value))]);
  const search = query ? `?${new URLSearchParams(parameters).toString()}` : '';
  const isAtItems = at?.part === 'body' && at.name === 'items';
  const form = at?.part === 'body' && FORMS[operation.id]?.[at.name];
  const given = isAtItems
    ? { items: [] }
    : { ...(form || Object(example.body)), ...(at?.part === 'body' && { [at.name]: null }) };
  const fields = Object.entries(given).map(([name, value]) => [name, fill('body', name, value)]);
  return { method, path: filledPath + search, ...(body && { body: Object.fromEntries(fields) as unknown }) };
}

const DECLARED = allOperations.map(({ method, path }) => ({
  method: method as string,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** Returns whether some operation answers a method at a path; a fixed part may stand where another operation has an id. */
export const isDeclared = (method: string, path: string): boolean =>
  DECLARED.some(declared => declared.method === method && declared.pattern.test(path));

/** Returns who may call an operation: the tenant's backend where an API key can, else its signed-in owner. */
export function callerOf({ access }: Operation, { api, user }: Tenant): Caller {
  if (access.kind === 'portal-token' || access.kind === 'signature') return new Caller();
  return access.kind === 'project' ? api : user;
}

/** The same id for every request, so that two responses can be equal byte for byte. */
const REQUEST_ID = { 'x-request-id': 'the-same' };

/** Everything that a caller learns from a response, but the time and the rest of its own allowance. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Sends a request and returns what its caller sees. */
export async function seenBy(caller: Caller, { method, path, body }: OperationRequest): Promise<Seen> {
  const { status, headers, body: received } = await caller.send(method, path, body, REQUEST_ID);
  const others = [...headers].filter(([name]) => name !== 'date' && !name.startsWith('x-ratelimit-'));
  return { status, headers: Object.fromEntries(others), body: received as unknown };
}
