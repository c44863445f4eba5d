import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { ok } from '../system/http.ts';
import { newCustomer, newTenant, type Tenant } from '../system/tenant.ts';
import { sendRaw, statusesIn } from './send-raw.ts';

let tenant: Tenant;
let victim: string;
beforeAll(async () => {
  tenant = await newTenant();
  victim = await newCustomer(tenant);
});

/** Request ids of this run; one that a service's log has was forwarded. */
const RUN = `s30-${randomUUID().slice(0, 8)}`;

/** A request that deletes a customer, hidden in the body or behind the end of another one. */
const hidden = () =>
  [
    `DELETE ${tenant.P}/customers/${victim} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${tenant.secret}`,
    `X-Request-Id: ${RUN}-hidden`,
    'Connection: close',
    '',
    '',
  ].join('\r\n');

/** A POST with these header lines and what follows them. */
const post = (lines: readonly string[], rest: string) =>
  [
    `POST ${tenant.P}/customers HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${tenant.secret}`,
    `X-Request-Id: ${RUN}-outer`,
    'Content-Type: application/json',
    ...lines,
    '',
    rest,
  ].join('\r\n');

/** Requests of which two servers could see different ends. */
function framings(): string[] {
  const smuggled = hidden();
  const chunked = `0\r\n\r\n${smuggled}`;
  const wholeLength = `Content-Length: ${chunked.length}`;
  return [
    post([wholeLength, 'Transfer-Encoding: chunked'], chunked),
    post(['Transfer-Encoding: chunked', 'Content-Length: 4'], `5c\r\n${smuggled}\r\n0\r\n\r\n`),
    post([wholeLength, 'Transfer-Encoding : chunked'], chunked),
    post([wholeLength, 'Transfer-Encoding: xchunked'], chunked),
    post([wholeLength, 'Transfer-Encoding: chunked, identity'], chunked),
    post([wholeLength, 'Transfer-Encoding: identity, chunked'], chunked),
    post([wholeLength, 'Transfer-Encoding: identity'], chunked),
    post([wholeLength, 'Transfer-Encoding:\tchunked'], chunked),
    post([wholeLength, 'Transfer-Encoding: "chunked"'], chunked),
    post([wholeLength, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunked),
    post([wholeLength, 'X: y\nTransfer-Encoding: chunked'], chunked),
    post([wholeLength, 'Transfer-Encoding:\n chunked'], chunked),
    post([wholeLength, 'X: y\rTransfer-Encoding: chunked'], chunked),
    post(['Content-Length: 0', `Content-Length: ${smuggled.length}`], smuggled),
    post([`Content-Length: ${smuggled.length}`, 'Content-Length: 0'], smuggled),
    post([`Content-Length: 0, ${smuggled.length}`], smuggled),
    post([`Content-Length: +${smuggled.length}`], smuggled),
    post([`Content-Length: -1`], smuggled),
    post([`Content-Length: 0x${smuggled.length.toString(16)}`], smuggled),
    post([`Content-Length : ${smuggled.length}`], smuggled),
    post([`Content-Length: ${smuggled.length} `, 'Transfer-Encoding: chunked'], chunked),
    post(['Transfer-Encoding: chunked'], `0\n\n${smuggled}`),
    post(['Transfer-Encoding: chunked'], `zz\r\n${smuggled}`),
    post(['Transfer-Encoding: chunked'], `-1\r\n${smuggled}`),
    post(['Transfer-Encoding: chunked'], `ffffffffffffffffff\r\n${smuggled}`),
    post(['Transfer-Encoding: chunked'], `1\rX\r\n0\r\n\r\n${smuggled}`),
    post([' Content-Length: 0'], smuggled),
    post(['X-Bad\u0000Name: y', 'Content-Length: 0'], smuggled),
  ];
}

/** Paths that two servers could read differently; AT stands for the project’s path. */
const TARGETS = [
  'AT/products/..%2f..%2fcustomers',
  'AT/products/../customers',
  'AT/products/%2e%2e/customers',
  'AT/products/.%2e/customers',
  'AT/products/..%5ccustomers',
  'AT/products/%252e%252e%252fcustomers',
  'AT/products/..;/customers',
  'AT/products;/../customers',
  'AT//customers',
  '/AT/customers',
  'AT/./customers',
  'AT/customers//',
  'AT/customers%00',
  'AT/customers%00.json',
  'AT/customers%20',
  'AT/customers%0d%0aX-Injected:%201',
  'AT/customers;limit=1',
  'AT/customers#x',
  'AT/customers.json',
  'AT/Customers',
  'AT/customers\\',
  'AT/customers/%c0%ae%c0%ae/products',
  'AT/customers/%ff',
  'AT/customers/%',
  'AT/customers/%zz',
  'http://127.0.0.1AT/customers',
  'http://evil.example/',
  'https://evil.exampleAT/customers',
  '//evil.exampleAT/customers',
  'AT%2fcustomers',
  '*',
  'customers',
  '?AT/customers',
  '/health/ready/../..AT/customers',
  '/internal/deliveries',
  '/deliveries',
  '/metrics',
  '/_control/ledger',
  '/v1/customers',
  '/portal/../api/service/teams',
  '/portal/x/..%2f..%2fapi',
  '/api/auth/..%2fservice/teams',
];

/** Whether a log of a service, but the gateway’s own, mentions a request of this run. */
async function forwarded(): Promise<string[]> {
  const folder = join(inject('dataDir'), 'logs');
  const files = (await readdir(folder)).filter(file => file.endsWith('.log') && !file.startsWith('gateway'));
  const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
  return texts.flatMap(text => text.split('\n').filter(line => line.includes(RUN)));
}

describe('a confused request', () => {
  it('S30: a second request hidden behind conflicting lengths, chunks or line ends is never carried out', async () => {
    const requests = framings();
    const received = await Promise.all(requests.map(sendRaw));
    for (const [index, text] of received.entries()) {
      const statuses = statusesIn(text);
      const row = JSON.stringify(requests[index]?.slice(tenant.P.length, 600));
      // The hidden request, if it is a request at all, is one of its sender's own: it must not have been read as such.
      expect(statuses, row).toHaveLength(1);
      expect(statuses[0], row).toBe(400);
    }
    expect((await ok(tenant.api.get(`${tenant.P}/customers`))).customers).toHaveLength(1);
  });

  it('S30: a path with dots, encoded or doubled separators, NUL, parameters, a host or in another case reaches no service', async () => {
    const statuses = await Promise.all(
      TARGETS.map(async (target, index) => {
        const path = target.replace('AT', tenant.P);
        const lines = [`Authorization: Bearer ${tenant.secret}`, `X-Request-Id: ${RUN}-${index}`, 'Connection: close'];
        const received = await sendRaw([`GET ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n'));
        return { target, statuses: statusesIn(received), leaks: received.includes(victim) };
      }),
    );
    for (const { target, statuses: got, leaks } of statuses) {
      expect(got, target).toHaveLength(1);
      expect(got[0], target).toBeOneOf([400, 404]);
      expect(leaks, target).toBe(false);
    }
  });

  it('S30: another method in a header, query or form field changes nothing', async () => {
    const path = `${tenant.P}/customers/${victim}`;
    for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', '_method'])
      expect((await tenant.api.send('GET', path, undefined, { [name]: 'DELETE' })).status).toBe(200);
    expect((await tenant.api.send('POST', `${path}?_method=DELETE`)).status).toBe(404);
    const methods = ['TRACE', 'CONNECT', 'TRACK', 'DEBUG', 'PROPFIND', 'get', 'DELETE\t'];
    const statuses = await Promise.all(
      methods.map(async method =>
        statusesIn(
          await sendRaw(
            `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.secret}\r\nX-Request-Id: ${RUN}-m\r\nConnection: close\r\n\r\n`,
          ),
        ),
      ),
    );
    for (const [index, got] of statuses.entries()) expect(got[0] ?? 400, methods[index]).toBeOneOf([400, 404]);
    await ok(tenant.api.get(path));
  });

  it('S30: requests one behind the other on a connection are answered in order, each by its own credential', async () => {
    const get = (headers: string) => `GET ${tenant.P}/customers HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
    const key = `Authorization: Bearer ${tenant.secret}\r\n`;
    const close = 'Connection: close\r\n';
    const received = await sendRaw(get(key) + get('') + get(key) + get('') + get(key + close));
    expect(statusesIn(received)).toEqual([200, 401, 200, 401, 200]);
  });

  it('S30: no request of this table is in the log of a service', async () => {
    // A request that every service of the chain logs, after all others.
    await ok(tenant.api.send('GET', `${tenant.P}/customers`, undefined, { 'x-request-id': `last-${RUN}` }));
    await expect.poll(forwarded).toEqual([expect.stringContaining(`last-${RUN}`)]);
  });
});
