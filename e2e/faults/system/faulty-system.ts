import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalSystem, type LocalSystem } from '@billing/local-system';
import type { PlanInputs } from '@billing/local-system/billing-programs';
import { waitFor } from '@billing/testing/wait-for';
import { newTenant, type Tenant } from '../../system/tenant.ts';
import {
  planFaultyPrograms,
  type Balance,
  type FaultySystemOptions,
  type Proxied,
  type Reroute,
} from './faulty-programs.ts';
import { startLoadBalancer } from './load-balancer.ts';
import { requireCleanLogs } from './clean-logs.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface FaultySystem extends AsyncDisposable {
  readonly gatewayUrl: string;
  readonly processorUrl: string;
  readonly dataDir: string;
  /** The TCP proxies between the services and their servers. */
  readonly proxies: Readonly<Record<Proxied, TcpProxy>>;
  /** The gateway's load balancer; the gateway itself in a system without one. */
  readonly entranceUrl: string;
  /** Returns the URL of a part, such as `gateway-2`. */
  urlOf(name: string): string;
  /** @throws Error when the part is not running */
  pidOf(name: string): number;
  /** Sends a signal. PostgreSQL shuts down immediately on SIGQUIT. The supervisor restarts parts that exit. */
  signal(name: string, signal: NodeJS.Signals): void;
  /** Kills a part and waits until its replacement is ready. */
  killAndReplace(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Stops a part, gracefully unless `signal` is given, and keeps it down. */
  takeDown(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a part that was taken down. */
  bringBack(name: string): Promise<void>;
  /** Waits until every part is ready, extra instances included. */
  untilReady(timeoutMs?: number): Promise<void>;
  newTenant(): Promise<Tenant>;
  /** Returns the resident memory of a part's process, in bytes. */
  residentBytes(name: string): number;
}

/**
 * Starts a whole system whose parts can be killed and whose connections can be cut. Disposing it stops everything, and throws
 * when a log has a secret of a tenant or an address of a person.
 */
export async function startFaultySystem(options: FaultySystemOptions = {}): Promise<FaultySystem> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-faults-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const tenants: Tenant[] = [];
  // Once everything has stopped and written its last line.
  resources.defer(() => requireCleanLogs(dataDir, tenants));
  const proxies: Partial<Record<Proxied, TcpProxy>> = {};

  const reroute: Reroute = async (name, url) => {
    const proxy = (proxies[name] ??= resources.use(await startTcpProxy(Number(new URL(url).port))));
    return withPort(url, proxy.port);
  };
  let entranceUrl: string | undefined;
  const balance: Balance = async (service, ports) => {
    const balancer = resources.use(await startLoadBalancer());
    balancer.setTargets(ports);
    const url = `http://127.0.0.1:${balancer.port}`;
    if (service === 'gateway') entranceUrl = url;
    return url;
  };
  const planPrograms = (surroundings: PlanInputs) => planFaultyPrograms(surroundings, { reroute, balance }, options);

  const system = resources.use(
    await startLocalSystem({
      dataDir,
      planPrograms,
      databaseUrl: options.databaseUrl,
      natsUrl: options.nats?.natsUrl,
      natsReplicas: options.nats?.natsReplicas,
      restartDelay: { first: 100, longest: 1_000 },
    }),
  );
  // Nothing connects to the proxy of a server that the system has not.
  if (options.nats) proxies.nats = resources.use(await startTcpProxy(0));
  const { postgres, nats, processor } = proxies;
  if (!postgres || !nats || !processor) throw new Error('No service connects to one of the servers.');
  const faulty = controlsOf(system, { postgres, nats, processor }, dataDir, tenants);
  await faulty.untilReady();
  const owned = resources.move();
  return {
    ...faulty,
    entranceUrl: entranceUrl ?? faulty.gatewayUrl,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function controlsOf(
  system: LocalSystem,
  proxies: FaultySystem['proxies'],
  dataDir: string,
  tenants: Tenant[],
): Omit<FaultySystem, typeof Symbol.asyncDispose | 'entranceUrl'> {
  const { gatewayUrl, processorUrl = '' } = system;
  const stateOf = (name: string) => {
    const state = system.services[name];
    if (!state) throw new Error(`There is no part ${name}, only ${Object.keys(system.services).join(', ')}.`);
    return state;
  };
  const pidOf = (name: string) => {
    const { pid } = stateOf(name);
    if (pid === undefined) throw new Error(`${name} is not running.`);
    return pid;
  };
  const signal = (name: string, sent: NodeJS.Signals) => void process.kill(pidOf(name), sent);
  const isReady = async (name: string) => {
    const { pid, url } = stateOf(name);
    if (pid === undefined || !url.startsWith('http')) return pid !== undefined;
    return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(3_000) })).ok;
  };

  return {
    gatewayUrl,
    processorUrl,
    dataDir,
    proxies,
    pidOf,
    signal,
    urlOf: name => stateOf(name).url,
    async killAndReplace(name, sent = 'SIGKILL') {
      const before = pidOf(name);
      process.kill(before, sent);
      await waitFor(() => stateOf(name).pid !== before && isReady(name), {
        what: `${name} to be back`,
        intervalMs: 100,
      });
    },
    async takeDown(name, sent) {
      if (sent) signal(name, sent);
      await system.stopService(name);
    },
    bringBack: name => system.startService(name),
    async untilReady(timeoutMs = 120_000) {
      for (const name of Object.keys(system.services))
        await waitFor(() => isReady(name), { what: `${name} to be ready`, timeoutMs, intervalMs: 100 });
    },
    async newTenant() {
      const tenant = await newTenant({ gatewayUrl, processorUrl });
      tenants.push(tenant);
      return tenant;
    },
    residentBytes: name => residentBytesOf(pidOf(name)),
  };
}

/** Returns the resident memory that `ps` reports, in bytes. */
function residentBytesOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }).trim()) * 1_024;
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = `${port}`;
  return changed.href.replace(/\/$/, '');
}
