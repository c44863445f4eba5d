import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { startNats } from '@billing/embedded-servers/nats';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import type { ServiceName } from '@billing/contracts/operation';
import { connectTo, brokerAddress } from '@billing/messaging/connection';
import { natsAccounts, SERVICES_API, STREAM_ADMIN } from '@billing/messaging/nats-accounts';
import { waitFor } from '@billing/testing/wait-for';
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream';

const SERVERS = 3;
const PASSWORD = 'cluster';
const STREAM = 'BILLING';

/** Three nats-servers that are one cluster. */
export interface NatsCluster extends AsyncDisposable {
  /** Names every server, with the user that creates the stream. */
  readonly url: string;
  /** The same with a service's own user. */
  readonly urlOf: (service: ServiceName) => string;
  /** Kills the server that leads the stream, or another one, and returns its number. */
  kill(which: 'leader' | 'follower'): Promise<number>;
  /** Starts a killed server, and waits until it has caught up. */
  bringBack(server: number): Promise<void>;
  /** What the stream is like, by one of the servers that run. */
  describeStream(): Promise<StreamInfo>;
}

/** Starts the cluster, and waits until it accepts streams with a replica on each server. */
export async function startNatsCluster(): Promise<NatsCluster> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'billing-nats-cluster-'));
  resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const ports: number[] = [];
  const clusterPorts: number[] = [];
  for (let index = 0; index < SERVERS; index += 1) {
    ports.push(await findFreePort());
    clusterPorts.push(await findFreePort());
  }
  const nameOf = (server: number) => `nats-${server}`;
  const start = (server: number) =>
    startNats({
      storeDir: join(folder, nameOf(server)),
      logFile: join(folder, `${nameOf(server)}.log`),
      password: PASSWORD,
      accounts: natsAccounts({ admin: PASSWORD, of: () => PASSWORD }),
      guard,
      port: ports[server] ?? 0,
      cluster: { serverName: nameOf(server), port: clusterPorts[server] ?? 0, ports: clusterPorts },
    });
  const servers = await Promise.all(ports.map((_port, server) => start(server)));
  resources.defer(async () => void (await Promise.all(servers.map(it => it.stop()))));

  const hosts = ports.map(port => `127.0.0.1:${port}`).join(',');
  const url = `nats://${STREAM_ADMIN}:${PASSWORD}@${hosts}`;
  const nats = resources.adopt(await connectTo(brokerAddress(url), 'fault suite'), it => it.close());
  const manager = () => jetstreamManager(nats, { timeout: 2_000, checkAPI: false });
  await waitFor(
    async () => {
      const { streams } = await manager();
      await streams.add({ name: 'TRIAL', subjects: ['trial'], num_replicas: SERVERS });
      return streams.delete('TRIAL');
    },
    { what: 'the cluster to accept streams', intervalMs: 250 },
  );
  const describeStream = async () => (await manager()).streams.info(STREAM);

  const owned = resources.move();
  return {
    url,
    urlOf: service => `nats://${service}:${PASSWORD}@${hosts}?api=${SERVICES_API}`,
    describeStream,
    async kill(which) {
      const leader = await waitFor(async () => (await describeStream()).cluster?.leader, {
        what: 'the stream to have a leader',
      });
      const found = servers.findIndex((_server, index) => (nameOf(index) === leader) === (which === 'leader'));
      const server = servers[found];
      if (!server) throw new Error(`The leader of the stream is ${leader}, which is none of the servers.`);
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
      return found;
    },
    async bringBack(server) {
      servers[server] = await start(server);
      const isWhole = async () => {
        const { cluster } = await describeStream();
        const others = cluster?.replicas ?? [];
        return cluster?.leader && others.length === SERVERS - 1 && others.every(it => it.current && !it.offline);
      };
      await waitFor(isWhole, { what: 'every server to have every event', intervalMs: 250 });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
