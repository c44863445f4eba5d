import { allOperations } from '@billing/contracts/operations/index';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { Caller, ok } from '../system/http.ts';
import { send } from '../system/hostile/send.ts';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { readPids } from '../system/running-system.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { openCanaries, type Canaries } from './canary.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { postSigned } from '../system/signed-events.ts';
import { callerOf, fieldsOf, requestTo } from '../system/operations/requests.ts';
import { newResources, type Resources } from '../system/operations/resources.ts';

let canaries: Canaries;
let tenant: Tenant;
let resources: Resources & { readonly token: string };
beforeAll(async () => {
  canaries = await openCanaries();
  tenant = await newTenant();
  resources = await newResources(tenant);
});
afterAll(() => canaries[Symbol.asyncDispose]());

/** Spellings of a canary’s address that a filter may overlook. */
function spellings(): string[] {
  const ports = canaries.urls.map(url => new URL(url).port);
  const [a, b, c, d, e] = ports;
  return [
    ...canaries.urls,
    `https://127.0.0.2:${a}/`,
    `http://[::ffff:127.0.0.2]:${b}/`,
    `http://2130706434:${c}/`,
    `http://0x7f.2:${d}/latest/meta-data/`,
    `http://127.0.0.2.:${e}/`,
    `//127.0.0.2:${a}/`,
    `127.0.0.2:${b}`,
  ];
}

/** Names under which software takes an address to call. */
const ADDRESS_FIELDS = ['url', 'host', 'baseUrl', 'apiBase', 'endpoint', 'callbackUrl', 'webhookUrl', 'processorUrl'];

describe('an address of the inner network', () => {
  it('S12: an internal address in any text, URL or invented field of any operation, in headers, paths and queries is called by nobody', async () => {
    const withBody = allOperations.filter(({ body, access }) => body && access.kind !== 'signature');
    const requests = withBody.flatMap(operation => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      const texts = fieldsOf(operation.body).filter(field => field !== 'email' && field !== 'metadata');
      const changes = texts.map((field, index) => ({ [field]: spellings()[index % spellings().length] }));
      const invented = Object.fromEntries(ADDRESS_FIELDS.map(field => [field, spellings()[0]]));
      const bodies = [...changes, invented, { metadata: { url: spellings()[0], callback: spellings()[5] } }];
      return bodies.map(more => ({ operation, method, path, body: { ...(body as object), ...more } }));
    });
    const sendAll = (some: typeof requests) =>
      mapConcurrently(some, async ({ operation, method, path, body }) => {
        return (await callerOf(operation, tenant).send(method, path, body)).status;
      });
    // A team with such a name would be purged by a request that gives the name.
    const isRename = ({ operation: { id } }: (typeof requests)[number]) => id === 'updateTeam';
    const statuses = [
      ...(await sendAll(requests.filter(request => !isRename(request)))),
      ...(await sendAll(requests.filter(isRename))),
    ];
    expect(statuses.filter(status => status < 300).length).toBeGreaterThan(15);

    const [canary = ''] = canaries.urls;
    const { host } = new URL(canary);
    const bearer = { authorization: `Bearer ${tenant.secret}` };
    const headers = { host, 'x-forwarded-host': host, forwarded: `host=${host}`, referer: canary, via: host };
    const paths = ['/docs', '/openapi.json', `/portal/${resources.token}`, `${tenant.P}/customers`];
    await mapConcurrently(
      paths.flatMap(path => [path, `${path}?url=${canary}&callback=${canary}`, `${canary}${path}`]),
      path => send(inject('gatewayUrl'), { method: 'GET', path, headers: { ...bearer, ...headers }, body: undefined }),
    );
    expect(canaries.hits).toEqual([]);
  });

  it('S12: internal addresses in a signed event are stored, and opened by nobody', async () => {
    const { data } = await tenant.callProcessor('/v1/events?limit=100');
    const events = data.filter(({ type }: { type: string }) => /invoice|customer\.updated|checkout|charge/.test(type));
    expect(events.length).toBeGreaterThan(2);
    const addressed = events.map((event: { id: string }, index: number) => {
      const url = spellings()[index % spellings().length] ?? '';
      const text = JSON.stringify({ ...event, id: `evt_canary${tenant.teamId.slice(-8)}${index}` });
      return JSON.parse(
        text
          .replaceAll(/"(https?:[^"]*)"/g, JSON.stringify(url))
          .replaceAll('"receipt_url":null', `"receipt_url":"${url}"`),
      ) as object;
    });
    for (const { status } of await Promise.all(addressed.map((event: object) => postSigned(tenant, event))))
      expect(status).toBe(200);
    await drain(tenant);
    const page = await new Caller().get(`/portal/${resources.token}?tab=invoices`);
    for (const url of spellings()) expect(page.body).not.toContain(`href="${url}`);
    expect(canaries.hits).toEqual([]);
  });

  it('S12: credentials with an address in them lead to no other host than the configured processor', async () => {
    const [canary = ''] = canaries.urls;
    const { host } = new URL(canary);
    const { calls: before } = await tenant.processor.ledger();
    for (const secretKey of [`sk_test_@${host}/`, `sk_test_x@${host}`, `sk_test_${canary}`, `sk_test_x#@${host}/`]) {
      const { status } = await tenant.user.post(`${tenant.teamPath}/processor/connect`, { secretKey });
      expect(status, secretKey).toBeOneOf([200, 400]);
    }
    expect(canaries.hits).toEqual([]);
    expect((await tenant.processor.ledger()).calls).toEqual(expect.objectContaining(before));
    await ok(tenant.api.get(`${tenant.P}/customers`));
  });

  it('S12: no endpoint may lead to a port of this installation, though loopback is open', async () => {
    const { parts, supervisor } = await readPids(inject('dataDir'));
    const ports = [supervisor, ...Object.values(parts)].map(({ url = '' }) => Number(URL.parse(url)?.port));
    expect(ports.length).toBeGreaterThan(10);
    const [own] = (await ok(tenant.api.get(`${tenant.P}/webhook-endpoints`))).webhookEndpoints;
    const saveAt = (host: string, port: number) =>
      tenant.api.patch(`${tenant.P}/webhook-endpoints/${own.id}`, { url: `http://${host}:${port}/` });
    for (const port of ports)
      for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]'])
        expect(await saveAt(host, port), `${host}:${port}`).toMatchObject({
          status: 422,
          body: { error: { code: 'webhook_url_not_allowed', details: { reason: 'address_not_allowed' } } },
        });
    await ok(saveAt('127.0.0.1', await findFreePort()));
  });

  it('S12: the canary notes what calls it, so the silence above means something', async () => {
    await fetch(canaries.urls[0] ?? '', { redirect: 'manual' });
    expect(canaries.hits).toContain('GET /');
  });
});
