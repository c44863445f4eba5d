import { EVENT_TYPES } from '@billing/contracts/event-types';
import { allOperations } from '@billing/contracts/operations/index';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { describeApi } from '#docs/document.ts';
import { passwordEndpoints } from '#docs/password-endpoints.ts';
import { portalEndpoint } from '#docs/portal-endpoint.ts';
import { signInEndpoints } from '#docs/sign-in-endpoints.ts';
import { startGateway } from './start-gateway.ts';

/** The parts that every document of ours has. */
interface ApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
    readonly securitySchemes: object;
  };
}
interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedResponse | Reference>>;
}
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
}
interface DescribedResponse {
  readonly headers: object;
  /** 304 has none. */
  readonly content?: Content;
}
type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly example?: unknown; readonly examples?: object }>
>;
interface Reference {
  readonly $ref: string;
}

const document = describeApi({
  operations: allOperations,
  publicUrl: 'https://billing.example',
  sessionCookie: 'billing.session_token',
}) as unknown as ApiDocument; // the tests check it
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const byId = described.map(located => [located.operation.operationId, located] as const);
const PROJECT = '/api/service/teams/{teamId}/projects/{projectId}';

describe('the document', () => {
  it('describes every declared operation, sign-in and the portal page once', () => {
    const ids = described.map(({ operation }) => operation.operationId);
    const undeclared = [...signInEndpoints, ...passwordEndpoints, portalEndpoint].map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...allOperations.map(({ id }) => id), ...undeclared].toSorted());
  });

  it('has every component it refers to, and no unused schema', () => {
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(match => String(match[1])));
    expect([...references].filter(reference => valueAt(document, reference) === undefined)).toEqual([]);
    const schemas = Object.keys(document.components.schemas).map(name => `components/schemas/${name}`);
    expect(schemas.filter(name => !references.has(name))).toEqual([]);
  });

  it('describes every named schema, and each of its fields', () => {
    const { schemas } = document.components;
    const fields = Object.entries(schemas).flatMap(([name, { description, properties = {} }]) => [
      { place: name, description },
      ...Object.entries(properties).map(([field, { $ref, description: ofField }]) => ({
        place: `${name}.${field}`,
        description: ofField ?? $ref,
      })),
    ]);
    expect(fields.filter(({ description }) => !description).map(({ place }) => place)).toEqual([]);
  });

  it.each(byId)('%s declares the parameters of its path, each once and described', (_id, { path, operation }) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => String(match[1]));
    const parameters = resolveParameters(operation);
    expect(parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
    expect(parameters.filter(({ description }) => !description)).toEqual([]);
    const places = parameters.map(({ in: place, name }) => `${place} ${name}`);
    expect(new Set(places).size).toBe(places.length);
  });

  it('has every section under one of the day’s jobs, in their order', () => {
    const groups = document['x-tagGroups'];
    expect(groups.flatMap(({ tags }) => tags)).toEqual(document.tags.map(({ name }) => name));
    expect(groups.map(({ name }) => name)).toEqual([...new Set(groups.map(({ name }) => name))]);
  });

  it.each(byId)('%s has a section, texts, responses, errors and examples', (id, { operation }) => {
    expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0]);
    expect(operation.summary).not.toBe('');
    expect(operation.description).not.toBe('');
    const responses = Object.entries(operation.responses).map(
      ([status, response]) => [Number(status), resolveResponse(response)] as const,
    );
    const { otherStatus } = allOperations.find(declared => declared.id === id) ?? {};
    expect(responses.filter(([status]) => status < 300)).toHaveLength(otherStatus === undefined ? 1 : 2);
    expect(responses.filter(([status]) => status >= 400).length).toBeGreaterThan(1);
    for (const [, { headers }] of responses) expect(headers).toHaveProperty('X-Request-Id');
    const contents = [operation.requestBody?.content ?? {}, ...responses.map(([, { content = {} }]) => content)];
    const jsonContents = contents.flatMap(content => content['application/json'] ?? []);
    expect(jsonContents.filter(({ example, examples }) => example === undefined && examples === undefined)).toEqual([]);
  });

  it('describes the tag of a state, and what its reader gets who has it', () => {
    const { responses, parameters } = Object.fromEntries(byId)['getCustomerState']?.operation ?? {};
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' });
    expect(responses?.['304']).toMatchObject({ headers: { ETag: expect.anything() } });
    expect(responses?.['200']).toMatchObject({ headers: { ETag: expect.anything() } });
  });

  it('names the credentials that each operation accepts', () => {
    const security = Object.fromEntries(byId.map(([id, { operation }]) => [id, operation.security]));
    expect(security).toMatchObject({
      createPrice: [{ apiKey: ['products:write'] }, { session: [] }],
      createApiKey: [{ session: [] }],
      receiveWebhook: [{ webhookSignature: [] }],
      updatePortalSubscription: [],
    });
    expect(Object.keys(document.components.securitySchemes)).toEqual(['apiKey', 'session', 'webhookSignature']);
  });

  it('describes queries by decoded values, bodies by their wire format', () => {
    expect(operationAt(`${PROJECT}/products`, 'get').parameters).toMatchObject([
      { name: 'teamId', in: 'path', required: true },
      { name: 'projectId', in: 'path', required: true },
      { name: 'activeOnly', in: 'query', required: false, schema: { type: 'boolean', default: true }, example: false },
      { name: 'key', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 100, default: 1_000 } },
      { name: 'offset', in: 'query', required: false, schema: { type: 'integer', minimum: 0 } },
      { name: 'cursor', in: 'query', required: false, schema: { type: 'string' } },
      { $ref: '#/components/parameters/RequestId' },
    ]);
    const { requestBody, responses } = operationAt(`${PROJECT}/prices`, 'post');
    expect(requestBody?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/PriceCreate' });
    expect(responses['201']).toMatchObject({
      content: { 'application/json': { schema: { properties: { price: { $ref: '#/components/schemas/Price' } } } } },
    });
    expect(document.components.schemas['PriceCreate']).toMatchObject({
      required: ['productId', 'unitAmount', 'currency'],
      additionalProperties: false,
    });
    expect(document.components.schemas['Price']?.properties?.['createdAt']).toMatchObject({ format: 'date-time' });
  });

  it('leaves responses and events open to further fields, and every integer 64 bits', () => {
    const responses = described.map(({ operation }) => operation.responses);
    const events = Object.values(document.webhooks).map(({ post }) => post.requestBody);
    const faults = schemasIn([responses, events]).filter(
      ({ additionalProperties, readOnly }) => additionalProperties === false || readOnly === true,
    );
    expect(faults).toEqual([]);
    const integers = schemasIn(document).filter(({ type }) => [type].flat().includes('integer'));
    expect(integers.length).toBeGreaterThan(300);
    expect(integers.filter(({ format }) => format !== 'int64')).toEqual([]);
  });

  it('describes the headers of rate limits, except where anyone could see how busy a team is', () => {
    const limited = byId.map(([id, { operation }]) => {
      const responses = Object.entries(operation.responses);
      const success = responses.find(([status]) => Number(status) < 300)?.[1];
      const tooMany = operation.responses['429'];
      if (!success) throw new Error(`${id} has no success.`);
      const shows = 'X-RateLimit-Remaining' in resolveResponse(success).headers;
      const resets = tooMany === undefined || 'X-RateLimit-Reset' in resolveResponse(tooMany).headers;
      return { id, shows, resets, isLimited: tooMany !== undefined };
    });
    expect(limited.filter(({ resets }) => !resets)).toEqual([]);
    expect(limited.filter(({ isLimited }) => !isLimited).map(({ id }) => id)).toContain('getSession');
    const silent = limited.filter(({ isLimited, shows }) => isLimited && !shows).map(({ id }) => id);
    expect(silent.toSorted()).toEqual(['receiveWebhook', 'receiveWebhookAtOldPath']);
  });

  it('accepts an Idempotency-Key for every POST except webhooks', () => {
    const repeatable = byId.filter(([, { operation }]) =>
      operation.parameters.some(parameter => '$ref' in parameter && parameter.$ref.endsWith('/IdempotencyKey')),
    );
    expect(repeatable.map(([id]) => id).toSorted()).toEqual(
      allOperations
        .filter(({ method, access: { kind } }) => method === 'POST' && kind !== 'signature')
        .map(({ id }) => id)
        .toSorted(),
    );
    for (const [, { operation }] of repeatable)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['409', '422']));
  });
});

describe('the webhooks', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  formats.default(ajv);
  ajv.addVocabulary(['components', 'webhooks']);
  const { components, webhooks } = document;
  const contentOf = ({ post }: { readonly post: DescribedOperation }) => post.requestBody?.content['application/json'];
  const schemas = Object.entries(webhooks).map(([type, webhook]) => [type, contentOf(webhook)?.schema]);
  ajv.addSchema({ components, webhooks: Object.fromEntries(schemas) }, 'api');

  it('are those of every type, and the test', () => {
    expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES, 'ping']);
    const ids = Object.values(webhooks).map(({ post }) => post.operationId);
    expect(new Set([...ids, ...described.map(({ operation }) => operation.operationId)]).size).toBe(
      ids.length + described.length,
    );
  });

  it.each(Object.entries(webhooks))(
    'have for %s an example that matches its schema, and only its own',
    (type, { post }) => {
      const example = contentOf({ post })?.example as object; // each has one
      const validate = ajv.getSchema(`api#/webhooks/${type}`);
      if (!validate) throw new Error(`${type} has no schema.`);
      expect(validate(example) ? [] : validate.errors).toEqual([]);
      expect(validate({ ...example, type: 'other' })).toBe(false);
      expect(validate({ ...example, data: { id: 1 } })).toBe(false);
      expect(post.summary).toMatch(/^(?:An?|The|Nothing|What) .*\.$/);
      expect(post.summary).not.toMatch(/ was \w+ \w+\.$/);
      expect(resolveParameters(post).map(({ name }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
      expect(example).toHaveProperty('type', type);
    },
  );
});

describe('the page', () => {
  it.each(['/openapi.json', '/llms.txt'])('has %s compressed, and again only when it has changed', async path => {
    await using gateway = await startGateway();
    const first = await fetch(`${gateway.url}${path}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(Number(first.headers.get('content-length'))).toBeLessThan((await first.bytes()).length / 3);
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    // As a browser sends it; `fetch` by itself would refuse what is known.
    const fetchUnless = (etag: string | null) =>
      fetch(`${gateway.url}${path}`, { headers: { 'if-none-match': String(etag), 'cache-control': 'max-age=0' } });
    const known = await fetchUnless(first.headers.get('etag'));
    expect(known.status).toBe(304);
    expect(await known.text()).toBe('');
    expect((await fetchUnless('W/"other"')).status).toBe(200);
  });

  it('is served next to the document, under a policy without exceptions, with files of this origin', async () => {
    await using gateway = await startGateway();
    const json = await gateway.call('GET', '/openapi.json');
    expect(json).toMatchObject({
      status: 200,
      body: { openapi: '3.1.1', servers: [{ url: 'http://localhost:8080' }] },
    });
    const page = await gateway.call('GET', '/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`default-src 'none'; style-src 'self'; script-src 'self'`);
    expect(policy).not.toMatch(/unsafe|\*|http/);
    const files = [...page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => String(path));
    expect(files).toHaveLength(4);
    for (const path of files) {
      const file = await fetch(`${gateway.url}${path}`);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect((await fetch(`${gateway.url}${path.replace(/docs\/./, 'docs/x')}`)).status).toBe(404);
    }
  });
});

function operationAt(path: string, method: string): DescribedOperation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not in the document.`);
  return operation;
}

const resolveParameters = ({ parameters }: DescribedOperation) =>
  parameters.map(parameter =>
    '$ref' in parameter ? (valueAt(document, parameter.$ref.slice(2)) as Parameter) : parameter,
  );

const resolveResponse = (response: DescribedOperation['responses'][string]) =>
  '$ref' in response ? (valueAt(document, response.$ref.slice(2)) as DescribedResponse) : response;

/** Returns every object in a part of the document, and in what it refers to; examples have none. */
function schemasIn(part: unknown, seen = new Set<unknown>()): Record<string, unknown>[] {
  if (typeof part !== 'object' || part === null || seen.has(part)) return [];
  seen.add(part);
  const entries = Object.entries(part).filter(([name]) => name !== 'example' && name !== 'examples');
  const within = entries.flatMap(([name, value]) =>
    schemasIn(name === '$ref' ? valueAt(document, String(value).slice(2)) : value, seen),
  );
  return Array.isArray(part) ? within : [part as Record<string, unknown>, ...within];
}

/** Returns the value at a path such as `components/schemas/Price`. */
function valueAt(value: unknown, path: string): unknown {
  return path.split('/').reduce((within, name) => (within as Record<string, unknown> | undefined)?.[name], value);
}

it('describes each operation in plain text for language models', async () => {
  await using gateway = await startGateway();
  const response = await fetch(`${gateway.url}/llms.txt`);
  expect(response.headers.get('content-type')).toMatch(/^text\/markdown/);
  const text = await response.text();
  expect(text).toMatch(/^# Billing API\n\n> Customers, products/);
  for (const { path, method, operation } of described)
    expect(text).toContain(`- \`${method.toUpperCase()} ${path}\`: ${operation.summary}`);
  for (const [type, { post }] of Object.entries(document.webhooks))
    expect(text).toContain(`- \`${type}\`: ${post.summary}`);
});
