import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalSystem, type LocalSystem } from '@billing/local-system';
import type { Surroundings } from '@billing/local-system/billing-parts';
import { waitFor } from '@billing/testing/wait-for';
import { newTenant, type Tenant } from '../../system/tenant.ts';
import { planFaultyPrograms, type FaultySystemOptions, type Proxied, type Reroute } from './faulty-programs.ts';
import { residentBytesOf } from './process-memory.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface FaultySystem extends AsyncDisposable {
  readonly gatewayUrl: string;
  readonly processorUrl: string;
  readonly dataDir: string;
  /** What stands between the services and their servers. */
  readonly proxies: Readonly<Record<Proxied, TcpProxy>>;
  /** The part's own address; of `gateway-2` the second gateway's. */
  urlOf(name: string): string;
  /** @throws when it does not run */
  pidOf(name: string): number;
  isRunning(name: string): boolean;
  /** SIGSTOP, SIGCONT, or for PostgreSQL SIGQUIT, which is its immediate stop. A part that ends is started again. */
  signal(name: string, signal: NodeJS.Signals): void;
  /** Ends it without warning; fulfilled when the process that takes its place is ready, with the time it took in ms. */
  killAndReplace(name: string, signal?: NodeJS.Signals): Promise<number>;
  /** Keeps it down, by `signal` if given, else in order. */
  takeDown(name: string, signal?: NodeJS.Signals): Promise<void>;
  bringBack(name: string): Promise<void>;
  /** Waits until everything is ready, the copies too. */
  untilReady(timeoutMs?: number): Promise<void>;
  newTenant(): Promise<Tenant>;
  /** Resident bytes of a part's process. */
  residentBytes(name: string): number;
}

/** Starts a whole system whose parts can be killed and whose connections can be cut. Everything ends with it. */
export async function startFaultySystem({ copies = {}, env = {} }: FaultySystemOptions = {}): Promise<FaultySystem> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'billing-faults-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const proxies: Partial<Record<Proxied, TcpProxy>> = {};

  const proxied: Reroute = async (name, url) => {
    const proxy = (proxies[name] ??= resources.use(await startTcpProxy(Number(new URL(url).port))));
    return withPort(url, proxy.port);
  };
  const planPrograms = (surroundings: Surroundings) => planFaultyPrograms(surroundings, proxied, { copies, env });

  const system = resources.use(
    await startLocalSystem({ dataDir, planPrograms, restartDelay: { first: 100, longest: 1_000 } }),
  );
  const { postgres, nats, processor } = proxies;
  if (!postgres || !nats || !processor) throw new Error('A server without a proxy.');
  const faulty = controls(system, { postgres, nats, processor }, dataDir);
  await faulty.untilReady();
  const owned = resources.move();
  return { ...faulty, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function controls(
  system: LocalSystem,
  proxies: FaultySystem['proxies'],
  dataDir: string,
): Omit<FaultySystem, typeof Symbol.asyncDispose> {
  const { gatewayUrl, processorUrl = '' } = system;
  const stateOf = (name: string) => {
    const state = system.services[name];
    if (!state) throw new Error(`There is no part ${name}; there are ${Object.keys(system.services).join(', ')}.`);
    return state;
  };
  const pidOf = (name: string) => {
    const { pid } = stateOf(name);
    if (pid === undefined) throw new Error(`${name} does not run.`);
    return pid;
  };
  const signal = (name: string, what: NodeJS.Signals) => void process.kill(pidOf(name), what);
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
    isRunning: name => stateOf(name).pid !== undefined,
    async killAndReplace(name, what = 'SIGKILL') {
      const before = pidOf(name);
      const killedAt = performance.now();
      process.kill(before, what);
      await waitFor(() => stateOf(name).pid !== before && isReady(name), {
        what: `${name} to be back`,
        timeoutMs: 120_000,
        intervalMs: 100,
      });
      return performance.now() - killedAt;
    },
    async takeDown(name, what) {
      if (what) signal(name, what);
      await system.stopService(name);
    },
    bringBack: name => system.startService(name),
    async untilReady(timeoutMs = 120_000) {
      for (const name of Object.keys(system.services))
        await waitFor(() => isReady(name), { what: `${name} to be ready`, timeoutMs, intervalMs: 100 });
    },
    newTenant: () => newTenant({ gatewayUrl, processorUrl }),
    residentBytes: name => residentBytesOf(pidOf(name)),
  };
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = `${port}`;
  return changed.href.replace(/\/$/, '');
}
