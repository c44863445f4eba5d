import { join } from 'node:path';
import { tryPort } from '@billing/embedded-servers/free-port';
import { type ProcessGuard, startProcessGuard } from '@billing/embedded-servers/process-guard';
import { provisionAll } from '@billing/service/provision';
import { StartError } from '@billing/service/start-error';
import { ensureDatabase, natsPart, postgresPart, requireBroker, requireDatabase } from './backing.ts';
import { type BillingPrograms, planBillingPrograms, type Surroundings } from './billing-parts.ts';
import { assembleCrew, type Crew, type PartState } from './crew.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { nodePart } from './part.ts';
import { untilFormerPartsAreGone } from './pids-file.ts';
import { type MemoryUse, measureMemory } from './process-memory.ts';
import { rememberPorts } from './remembered-ports.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import type { RestartDelay } from './supervise.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface LocalSystemOptions extends Partial<Omit<Settings, 'dataDir' | 'demo'>> {
  dataDir: string;
  /** One line per event worth reading; default: nobody reads. */
  report?: (line: string) => void;
  /** Gives the start up, and stops what was started. */
  signal?: AbortSignal;
  restartDelay?: RestartDelay;
  /** Which programs run; default: the processor, the services and the gateway of this repository. */
  planPrograms?: (surroundings: Surroundings) => Promise<BillingPrograms>;
}

export interface LocalSystem extends AsyncDisposable {
  readonly gatewayUrl: string;
  /** Absent when `STRIPE_API_BASE_URL` names a processor that is not ours. */
  readonly processorUrl: string | undefined;
  /** Every running part by name. */
  readonly services: Readonly<Record<string, PartState>>;
  /** Stops a part and keeps it stopped. */
  stopService(name: string): Promise<void>;
  /** Starts a stopped part; fulfilled when it is ready. */
  startService(name: string): Promise<void>;
  measureMemory(): MemoryUse;
  /** Stops everything in order and gives the data folder back. */
  stop(): Promise<void>;
}

/**
 * Starts the whole system and watches over it; fulfilled when the gateway and everything behind it is ready. A part
 * that ends is started again. When this process is killed, every part ends with it.
 * @throws StartError or an error that names the part, with the last lines of its log; nothing is left running.
 */
export async function startLocalSystem(options: LocalSystemOptions): Promise<LocalSystem> {
  const { report = () => {}, signal, planPrograms = planBillingPrograms } = options;
  const settings: Settings = { gatewayPort: 0, logLevel: 'info', demo: false, ...options };
  const { dataDir } = settings;

  await requireGatewayPort(settings.gatewayPort);
  await using resources = new AsyncDisposableStack();
  resources.use(lockDataDir(dataDir));
  const secrets = loadSecrets(dataDir);
  await untilFormerPartsAreGone(dataDir);
  const choosePort = rememberPorts(dataDir);
  const gatewayPort = settings.gatewayPort || (await choosePort('gateway'));
  const gatewayUrl = `http://localhost:${gatewayPort}`;

  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const crew = await assembleCrew({ dataDir, report, resources, restartDelay: options.restartDelay });
  const giveUp = () => crew.abandonLaunches();
  signal?.addEventListener('abort', giveUp);
  resources.defer(async () => signal?.removeEventListener('abort', giveUp));

  const backing = await startBacking({ settings, secrets, guard, report, choosePort, crew });
  signal?.throwIfAborted();
  const databaseUrls = await provisionAll(backing.adminUrl, service => secrets.rolePasswords[service]);
  report('database provisioned');

  const programs = await planPrograms({
    root: ROOT,
    settings,
    secrets,
    natsUrl: backing.natsUrl,
    databaseUrls,
    gatewayPort,
    publicUrl: settings.publicUrl ?? gatewayUrl,
    choosePort,
  });
  signal?.throwIfAborted();
  await startPrograms(programs, crew, guard);
  signal?.throwIfAborted();

  const owned = resources.move();
  const stop = () => owned.disposeAsync();
  return {
    gatewayUrl,
    processorUrl: programs.processor && `http://localhost:${programs.processor.port}`,
    get services() {
      return crew.describe();
    },
    stopService: async name => crew.require(name).hold(),
    startService: async name => crew.require(name).resume(),
    measureMemory: () => measureMemory([process.pid]),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** PostgreSQL and NATS: our own, or those of the settings once they have answered. */
async function startBacking(options: {
  settings: Settings;
  secrets: Secrets;
  guard: ProcessGuard;
  report: (line: string) => void;
  choosePort: Surroundings['choosePort'];
  crew: Crew;
}): Promise<{ adminUrl: string; natsUrl: string }> {
  const { settings, secrets, crew, ...shared } = options;
  const { databaseUrl, natsUrl, dataDir } = settings;
  if (databaseUrl !== undefined) await requireDatabase(databaseUrl, 'DATABASE_URL');
  if (natsUrl !== undefined) await requireBroker(natsUrl);

  const postgres =
    databaseUrl === undefined
      ? await postgresPart({ ...shared, dataDir, password: secrets.postgresPassword })
      : undefined;
  const nats =
    natsUrl === undefined ? await natsPart({ ...shared, dataDir, password: secrets.natsPassword }) : undefined;
  // Side by side, since a machine without nats-server has to fetch it first; NATS is stopped before PostgreSQL.
  await Promise.all([postgres, nats].map(part => crew.enlist(part === undefined ? [] : [part])));
  if (postgres !== undefined) await ensureDatabase(postgres.adminUrl);

  const urls = { adminUrl: databaseUrl ?? postgres?.adminUrl, natsUrl: natsUrl ?? nats?.clientUrl };
  if (urls.adminUrl === undefined || urls.natsUrl === undefined) throw new Error('A server without an address.');
  return { adminUrl: urls.adminUrl, natsUrl: urls.natsUrl };
}

/** All at once, for the start is as long as its longest part; they are enlisted against the order of stopping. */
async function startPrograms(programs: BillingPrograms, crew: Crew, guard: ProcessGuard): Promise<void> {
  const groups = [programs.processor === undefined ? [] : [programs.processor], programs.services, [programs.gateway]];
  await Promise.all(groups.map(group => crew.enlist(group.map(program => nodePart(program, { root: ROOT, guard })))));
}

async function requireGatewayPort(port: number): Promise<void> {
  const error = await tryPort(port, '127.0.0.1');
  if (error === undefined) return;
  throw new StartError(
    error.code === 'EADDRINUSE'
      ? `Port ${port} is in use. Stop what listens there, or choose another with GATEWAY_PORT.`
      : `Port ${port} can't be used (${error.code}). Choose another with GATEWAY_PORT.`,
  );
}
