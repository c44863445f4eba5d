import { randomUUID } from 'node:crypto';
import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { ANALYTICS_METRICS } from '@billing/contracts/resources/analytics';
import type { AuditEntry } from '@billing/contracts/resources/audit-entry';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, expect, it } from 'vitest';
import { openDocumentedApi, type DocumentedApi } from '../system/documented-api.ts';
import { Caller, ok, type ApiResponse } from '../system/http.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { EXAMPLE_WRITES } from '../system/operations/example-writes.ts';
import { requestTo } from '../system/operations/requests.ts';
import { newResources } from '../system/operations/resources.ts';
import type { Prepared } from '../system/operations/write.ts';
import { newSignedEvent } from '../system/signed-events.ts';
import { newSubscription, newTenant, newUser } from '../system/tenant.ts';

// Every response is checked against the OpenAPI document, and every POST with an API key has an Idempotency-Key of its own.

const reads = allOperations.filter(({ id, method }) => method === 'GET' || id.startsWith('preview'));
/** What a processor sends is signed by it, and recorded as a webhook event. */
const writes = allOperations.filter(operation => !reads.includes(operation) && operation.access.kind !== 'signature');

let documented: DocumentedApi;
let prepared: Prepared;
/** Repeats the last POST of the tenant's backend. */
let repeat: () => Promise<ApiResponse>;
beforeAll(async () => {
  documented = await openDocumentedApi();
  const [tenant, other, guest] = await Promise.all([newTenant(), newTenant(), newUser()]);
  const visitor = new Caller();
  for (const caller of [tenant.api, tenant.user, other.user, guest.user, visitor]) documented.verify(caller);
  repeat = keyEachPost(tenant.api);
  prepared = { tenant, other, guest, visitor, resources: await newResources(tenant) };
});

function keyEachPost(caller: Caller): () => Promise<ApiResponse> {
  const send = caller.send.bind(caller);
  let last = (): Promise<ApiResponse> => Promise.reject(new Error('There was no POST.'));
  caller.send = (method, path, body, more) => {
    if (method !== 'POST') return send(method, path, body, more);
    const key = randomUUID();
    last = () => send(method, path, body, { 'idempotency-key': key, ...more });
    return last();
  };
  return () => last();
}

/** Expects that the last POST of the tenant's backend is replayed when it is repeated. */
async function expectReplayed({ id }: Operation, { status, body }: ApiResponse): Promise<void> {
  const again = await repeat();
  expect({ id, status: again.status, body: asCreated(again.body) }).toEqual({ id, status, body: asCreated(body) });
  expect(again.headers.get('idempotent-replayed'), id).toBe('true');
}

/** Responses with a secret are not stored: a repeat shows what waits for the endpoint now. */
const asCreated = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === 'lag' ? undefined : value)));

async function logOf(teamPath: string): Promise<readonly AuditEntry[]> {
  const { tenant, other } = prepared;
  const owner = teamPath === other.teamPath ? other.user : tenant.user;
  const all: AuditEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { entries, pagination } = await ok(owner.get(`${teamPath}/audit-log?limit=100${cursor}`));
    all.push(...entries);
    cursor = pagination.nextCursor === null ? null : `&cursor=${pagination.nextCursor}`;
  }
  return all;
}

/** A write that was made: what its entry must contain, and in whose log. */
interface Sent {
  readonly entry: Pick<AuditEntry, 'action' | 'actor' | 'target' | 'requestId'> & object;
  readonly teamPath: string;
}

const requestIdOf = ({ headers }: ApiResponse) => headers.get('x-request-id') ?? '';

it('S48: reading leaves no entry, and every read is as documented', async () => {
  const { tenant, visitor, resources } = prepared;
  const { api, user, P } = tenant;
  // Only a paused subscription can be resumed, and customers read by their links.
  const own = reads.filter(({ id, access }) => access.kind !== 'portal-token' && id !== 'previewResume');
  const responses = await mapConcurrently(own, async operation => {
    const { method, path, body } = requestTo(operation, tenant, resources);
    const response = await (operation.access.kind === 'project' ? api : user).send(method, path, body);
    expect({ id: operation.id, status: response.status }).toEqual({ id: operation.id, status: 200 });
    return response;
  });
  for (const metric of ANALYTICS_METRICS)
    responses.push(await api.get(`${P}/analytics/subscriptions?metric=${metric}&growthDays=7`));
  const { token, subscriptionId, priceId } = resources;
  const paused = `${P}/subscriptions/${(await newSubscription(tenant, priceId)).id}`;
  await ok(api.post(`${paused}/pause`));
  responses.push(await api.post(`${paused}/resume/preview`));
  responses.push(await visitor.get(`/portal/${token}?tab=invoices`));
  await ok(api.put(`${P}/portal-config`, { quantity: { enabled: true, max: 9 }, billingDetails: { enabled: true } }));
  responses.push(await visitor.get(`/api/portal/${token}/billing-details`));
  const preview = `/api/portal/${token}/subscriptions/${subscriptionId}/change/preview`;
  responses.push(await visitor.post(preview, { quantity: 2 }));
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);

  for (const operation of own.filter(({ method }) => method === 'POST')) {
    const { path, body } = requestTo(operation, tenant, resources);
    await expectReplayed(operation, await api.post(path, body));
  }
  const requestIds = new Set(responses.map(requestIdOf));
  const entries = await logOf(tenant.teamPath);
  expect(entries.filter(({ requestId }) => requestIds.has(requestId ?? ''))).toEqual([]);
});

it('S48: a write by any operation is as documented, is made once under one key, and leaves exactly one entry, which says who changed what by which request', async () => {
  expect(writes.map(({ id }) => id).toSorted()).toEqual(Object.keys(EXAMPLE_WRITES).toSorted());
  const { tenant, guest, resources } = prepared;
  const [key] = (await ok(tenant.user.get(`${tenant.P}/api-keys`))).apiKeys.filter(
    ({ name }: { readonly name: string }) => name === 'backend',
  );
  const sent: Sent[] = [];
  for (const [action, prepare] of Object.entries(EXAMPLE_WRITES)) {
    const { by, send, target, teamPath, hasNoProject } = await prepare(prepared);
    const response = await send();
    if (response.status >= 300) throw new Error(`${action}: ${response.status} ${JSON.stringify(response.body)}`);
    const operation = writes.find(({ id }) => id === action);
    if (by === 'key' && operation?.method === 'POST') await expectReplayed(operation, response);
    const actors: Readonly<Record<typeof by, AuditEntry['actor']>> = {
      user: {
        type: 'user',
        id: teamPath?.(response.body) === prepared.other.teamPath ? prepared.other.userId : tenant.userId,
      },
      guest: { type: 'user', id: guest.userId },
      key: { type: 'key', id: key.id },
      customer: { type: 'customer', id: resources.customerId },
    };
    const entry = {
      action,
      actor: actors[by],
      target: target(response.body),
      requestId: requestIdOf(response),
      outcome: 'succeeded',
      ...(!hasNoProject && { projectId: tenant.projectId }),
    };
    sent.push({ entry, teamPath: teamPath?.(response.body) ?? tenant.teamPath });
  }

  const log = async () => {
    const paths = [...new Set(sent.map(({ teamPath }) => teamPath))];
    return (await Promise.all(paths.map(logOf))).flat();
  };
  const areAll = async () => {
    const requestIds = new Set((await log()).map(({ requestId }) => requestId));
    return sent.every(({ entry }) => requestIds.has(entry.requestId));
  };
  await waitFor(areAll, { what: 'every write to be in the log', intervalMs: 50 }).catch(() => undefined);
  const entries = await log();
  for (const { entry } of sent) {
    const found = entries.filter(({ requestId }) => requestId === entry.requestId);
    expect(found, entry.action).toMatchObject([entry]);
    expect(found[0]?.address).toMatch(/127\.0\.0\.1$/);
  }
  // Neither those of the preparations: one request, one entry.
  expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(entries.length);
});

it('S48: no entry contains a secret, an e-mail address or a token', async () => {
  const { tenant, other, resources } = prepared;
  const text = JSON.stringify([await logOf(tenant.teamPath), await logOf(other.teamPath)]);
  expect(text).toContain('connectProcessor');
  expect(text).toContain('https://hooks.example/new?…');
  expect(text).not.toMatch(/@example\.com|bil_test_|whsec_|sk_test_|token=planted/);
  for (const secret of [tenant.secret, tenant.webhookSecret, resources.token]) expect(text).not.toContain(secret);
});

it('documents no operation that never succeeded, but for signing in', async () => {
  const { tenant, visitor } = prepared;
  const event = newSignedEvent('payment_method.attached', { id: 'pm_1', object: 'payment_method' });
  const signed = { 'stripe-signature': signatureOf(JSON.stringify(event), tenant.webhookSecret) };
  for (const path of ['processor', 'stripe'])
    await ok(visitor.post(`/api/webhooks/${path}/${tenant.teamId}`, event, signed));
  const ofSignIn = documented.notSucceeded('/api/auth/');
  expect(documented.notSucceeded().filter(id => !ofSignIn.includes(id))).toEqual([]);
});
