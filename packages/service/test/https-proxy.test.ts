import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import https from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startLocalProcessor } from '@billing/local-processor/server';
import { stripeProcessor } from '@billing/processor/stripe-processor';
import { certificate } from '@billing/testing/tls-servers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { httpsProxyEnv, useHttpsProxy } from '../src/https-proxy.ts';

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
  const [agent, authorities] = [https.globalAgent, getCACertificates('default')];
  resources.defer(() => {
    https.globalAgent.destroy();
    https.globalAgent = agent;
    setDefaultCACertificates(authorities);
  });
  // As NODE_EXTRA_CA_CERTS does.
  setDefaultCACertificates([...authorities, readFileSync(certificate('ca.crt'), 'utf8')]);
});
afterEach(() => resources.disposeAsync());

async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  resources.defer(() => void server.close());
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** Starts the local processor behind TLS, with a certificate for localhost. Returns its address, as requests to a proxy name it. */
async function startTlsProcessor(): Promise<string> {
  const { url } = resources.adopt(await startLocalProcessor(), opened => opened.close());
  const [key, cert] = (['server.key', 'server.crt'] as const).map(name => readFileSync(certificate(name)));
  const { port } = new URL(url);
  const front = createTlsServer({ key, cert }, socket => {
    socket.on('error', () => undefined);
    socket.pipe(connect(Number(port), '127.0.0.1')).pipe(socket);
  });
  return `localhost:${await listen(front)}`;
}

/** Starts a proxy that opens tunnels, or refuses them with a status. Returns its address and the requests that it got. */
async function startProxy(refusal?: string) {
  const requests: unknown[] = [];
  const openTunnel = (to: string, client: Duplex): void => {
    const target = connect(Number(to.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => undefined);
  };
  const proxy = createServer().on('connect', ({ url = '', headers }, client) => {
    requests.push([url, headers['proxy-authorization']]);
    if (refusal) client.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    else openTunnel(url, client);
  });
  return { host: `127.0.0.1:${await listen(proxy)}`, requests };
}

it('calls Stripe through the proxy, who sees only where to', async () => {
  const [processor, { host, requests }] = [await startTlsProcessor(), await startProxy()];
  useHttpsProxy(httpsProxyEnv.parse({ HTTPS_PROXY: `http://billing:p%40ss@${host}` }));
  const stripe = stripeProcessor('sk_test_0123456789abcdef', `https://${processor}`);
  await stripe.findAccount();
  await stripe.createCustomer({ email: 'ada@example.com', metadata: {} }, 'op:1');
  expect(requests).toEqual([[processor, `Basic ${btoa('billing:p@ss')}`]]);
});

it.each([
  ['NO_PROXY', { NO_PROXY: '.example.com, localhost' }],
  ['an empty variable', { HTTPS_PROXY: '' }],
])('calls Stripe itself with %s', async (_name, variables) => {
  const [processor, { host, requests }] = [await startTlsProcessor(), await startProxy()];
  useHttpsProxy(httpsProxyEnv.parse({ HTTPS_PROXY: `http://${host}`, ...variables }));
  await stripeProcessor('sk_test_0123456789abcdef', `https://${processor}`).findAccount();
  expect(requests).toEqual([]);
});

it('says in the cause of 503 what the proxy refused', async () => {
  const { host } = await startProxy('407 Proxy Authentication Required');
  useHttpsProxy(httpsProxyEnv.parse({ https_proxy: `http://billing:secret@${host}` }));
  const refused = stripeProcessor('sk_test_0123456789abcdef').findAccount();
  const cause = { detail: { message: expect.stringMatching(/api\.stripe\.com:443 via http:\/\/127.*407 Proxy Auth/) } };
  await expect(refused).rejects.toMatchObject({ kind: 'unavailable', cause });
});

it.each(['proxy:3128', 'socks5://proxy:1080', 'proxy'])('refuses the proxy %s', text => {
  expect(httpsProxyEnv.safeParse({ HTTPS_PROXY: text }).error?.message).toContain('such as http://proxy:3128');
});
