import { execFile, spawn } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { httpClient } from './http-client.ts';
import { startGateway, type Gateway } from './start-gateway.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Whether HAProxy is installed. */
const isInstalled = await promisify(execFile)('haproxy', ['-v']).then(
  () => true,
  () => false,
);

it.runIf(isInstalled).each(['tools/docker/haproxy.cfg', 'deploy/partitions/haproxy.cfg'])(
  'lets only named proxies say whose a request is: %s',
  async file => {
    await using gateway = await startGateway({ limits: { signIn: 10 }, env: { TRUST_PROXY: 'loopback' } });
    const { owner, teamPath } = await gateway.createTenant();
    await using direct = await startEntrance(file, gateway, {});
    await using behindProxies = await startEntrance(file, gateway, { TRUST_PROXY: '127.0.0.0/8 10.0.0.0/8' });
    const addressOf = async (call: typeof gateway.call, forwardedFor: string) => {
      const headers = { cookie: owner.cookie, 'x-forwarded-for': forwardedFor };
      await call('POST', `${teamPath}/projects`, { headers, body: { name: 'Shop' } });
      const { entries } = (await owner.call('GET', `${teamPath}/audit-log`)).body;
      return entries[0].address;
    };
    const forged = ['198.51.100.9', '198.51.100.9, 203.0.113.7', 'anything', '203.0.113.7:80', '[::1]:80, 10.0.0.1'];
    for (const header of forged) expect(await addressOf(direct.call, header)).toBe('127.0.0.1');
    expect(await addressOf(behindProxies.call, '198.51.100.9, 203.0.113.7')).toBe('203.0.113.7');
    expect(await addressOf(behindProxies.call, '198.51.100.9, 203.0.113.7, 10.0.0.1')).toBe('203.0.113.7');
    expect(await addressOf(behindProxies.call, 'anything')).toBe('127.0.0.1');
  },
);

/** Starts HAProxy with one of our configurations, but for its port and for where the gateway is. */
async function startEntrance(file: string, gateway: Gateway, variables: NodeJS.ProcessEnv) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'billing-entrance-'));
  const port = await freePort();
  const { host } = new URL(gateway.url);
  const teams = join(folder.path, 'teams.map');
  const config = join(folder.path, 'haproxy.cfg');
  const text = await readFile(join(ROOT, file), 'utf8');
  await writeFile(teams, '');
  await writeFile(
    config,
    text
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace(/ {2}server-template .*/, `  server gateway ${host} check inter 100ms`),
  );
  const { TRUST_PROXY: _inherited, ...inherited } = process.env;
  const partitions = { PARTITION_1: host, PARTITION_2: host, PARTITION_2_HOST: 'two.example', TEAMS: teams };
  const env = { ...inherited, ...partitions, LISTEN: `127.0.0.1:${port}`, ...variables };
  const entrance = spawn('haproxy', ['-db', '-f', config], { env, stdio: 'ignore' });
  const exited = once(entrance, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => (await fetch(`${url}/health/live`).catch(() => undefined))?.ok === true;
  await waitFor(isUp, { what: 'the load balancer to be ready' });
  return {
    call: httpClient(url),
    async [Symbol.asyncDispose]() {
      entrance.kill('SIGKILL');
      await exited;
      await folder.remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a server on a TCP port has this kind of address
  server.close();
  await once(server, 'close');
  return port;
}
