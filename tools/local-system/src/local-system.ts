import { join } from 'node:path';
import { tryPort } from '@billing/embedded-servers/free-port';
import { type ProcessGuard, startProcessGuard } from '@billing/embedded-servers/process-guard';
import { unprotectedPostgres } from '@billing/database/connection';
import { provisionAll } from '@billing/database/provision';
import { StartError } from '@billing/database/start-error';
import { brokerAddress, unprotectedBroker } from '@billing/messaging/connection';
import {
  ensureDatabase,
  keepStream,
  natsPart,
  type NatsUrls,
  postgresPart,
  provisionStream,
  requireDatabase,
  sharedNatsUrl,
} from './backing-services.ts';
import { type BillingPrograms, planBillingPrograms, type PlanInputs } from './billing-programs.ts';
import { buildPrograms } from './build-programs.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { nodePart } from './part.ts';
import { waitForPreviousParts } from './pids-file.ts';
import { type MemoryUse, measureMemory } from './process-memory.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { stablePorts } from './stable-ports.ts';
import type { RestartDelay } from './supervised-part.ts';
import { openSupervisor, type PartState, type Supervisor } from './supervisor.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface LocalSystemOptions extends Partial<Omit<Settings, 'dataDir' | 'demo'>> {
  dataDir: string;
  /** Receives progress, one line at a time. */
  report?: (line: string) => void;
  /** Aborts the start and stops what was started. */
  signal?: AbortSignal;
  restartDelay?: RestartDelay;
  /** Which programs run; default: the processor, the services and the gateway of this repository. */
  planPrograms?: (inputs: PlanInputs) => Promise<BillingPrograms>;
}

export interface LocalSystem extends AsyncDisposable {
  readonly gatewayUrl: string;
  /** The local processor; undefined when `STRIPE_API_BASE_URL` names another one. */
  readonly processorUrl: string | undefined;
  /** Every part by name. */
  readonly services: Readonly<Record<string, PartState>>;
  /** Stops a part and keeps it stopped. */
  stopService(name: string): Promise<void>;
  /** Starts a stopped part; resolves when it is ready. */
  startService(name: string): Promise<void>;
  measureMemory(): MemoryUse;
  /** Stops everything in order and unlocks the data folder. */
  stop(): Promise<void>;
}

/**
 * Builds the programs, starts the whole system and supervises it; resolves when every part is ready. A part that exits is
 * restarted. When this process is killed, all parts end.
 * @throws StartError, or an error that names the part and shows the last lines of its log; nothing is left running
 */
export async function startLocalSystem(options: LocalSystemOptions): Promise<LocalSystem> {
  const { report = () => {}, signal, planPrograms = planBillingPrograms } = options;
  const settings: Settings = { gatewayPort: 0, logLevel: 'info', demo: false, ...options };
  const { dataDir } = settings;

  await requireGatewayPort(settings.gatewayPort);
  await using resources = new AsyncDisposableStack();
  resources.use(lockDataDir(dataDir));
  const secrets = loadSecrets(dataDir);
  await waitForPreviousParts(dataDir);
  const choosePort = stablePorts(dataDir);
  const gatewayPort = settings.gatewayPort || (await choosePort('gateway'));
  const gatewayUrl = `http://localhost:${gatewayPort}`;

  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const publicUrl = settings.publicUrl ?? gatewayUrl;
  const { restartDelay } = options;
  const supervisor = await openSupervisor({ dataDir, publicUrl, report, resources, restartDelay });
  const abortLaunches = () => supervisor.abortLaunches();
  signal?.addEventListener('abort', abortLaunches);
  resources.defer(async () => signal?.removeEventListener('abort', abortLaunches));

  const built = buildPrograms(ROOT, report);
  // It is thrown below, when the servers need not be stopped halfway.
  built.catch(() => {});
  const backing = await startBackingServices({ settings, secrets, guard, report, choosePort, supervisor });
  const onStandstill = settings.natsUrl === undefined ? () => restartPart(supervisor, 'nats', report) : undefined;
  const stopKeeping = await keepStream(backing.natsUrls.admin, { report, ...(onStandstill && { onStandstill }) });
  resources.defer(stopKeeping);
  signal?.throwIfAborted();
  const databaseUrls = await provisionAll(backing.adminUrl, service => secrets.rolePasswords[service]);
  report('database provisioned');

  const programs = await planPrograms({
    root: ROOT,
    settings,
    secrets,
    natsUrls: backing.natsUrls.services,
    databaseUrls,
    gatewayPort,
    publicUrl,
    controlPort: supervisor.controlPort,
    choosePort,
  });
  await built;
  signal?.throwIfAborted();
  await startPrograms(programs, supervisor, guard);
  signal?.throwIfAborted();

  const owned = resources.move();
  const stop = () => owned.disposeAsync();
  return {
    gatewayUrl,
    processorUrl: programs.processor && `http://localhost:${programs.processor.port}`,
    get services() {
      return supervisor.describe();
    },
    stopService: async name => supervisor.find(name).stop(),
    startService: async name => supervisor.find(name).resume(),
    measureMemory: () => measureMemory([process.pid]),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts the embedded PostgreSQL and NATS, or checks that the configured ones can be reached. */
async function startBackingServices(options: {
  settings: Settings;
  secrets: Secrets;
  guard: ProcessGuard;
  report: (line: string) => void;
  choosePort: PlanInputs['choosePort'];
  supervisor: Supervisor;
}): Promise<{ adminUrl: string; natsUrls: NatsUrls }> {
  const { settings, secrets, supervisor, ...shared } = options;
  const { databaseUrl, natsUrl, natsReplicas, dataDir } = settings;
  for (const warning of [
    databaseUrl && unprotectedPostgres(databaseUrl),
    natsUrl && unprotectedBroker(brokerAddress(natsUrl)),
  ])
    if (warning) shared.report(warning);
  if (databaseUrl !== undefined) await requireDatabase(databaseUrl, 'DATABASE_URL');
  if (natsUrl !== undefined) await provisionStream(natsUrl, natsReplicas);

  const postgres =
    databaseUrl === undefined
      ? await postgresPart({ ...shared, dataDir, password: secrets.postgresPassword })
      : undefined;
  const nats =
    natsUrl === undefined ? await natsPart({ ...shared, dataDir, password: secrets.natsPassword }, secrets) : undefined;
  // Concurrently, because a machine without nats-server downloads it first. NATS stops before PostgreSQL.
  await Promise.all([postgres, nats].map(part => supervisor.start(part === undefined ? [] : [part])));
  if (postgres !== undefined) await ensureDatabase(postgres.adminUrl);

  if (nats !== undefined) await provisionStream(nats.urls.admin);

  const adminUrl = databaseUrl ?? postgres?.adminUrl;
  const natsUrls = natsUrl === undefined ? nats?.urls : sharedNatsUrl(natsUrl);
  if (adminUrl === undefined || natsUrls === undefined) throw new Error('PostgreSQL or NATS has no URL.');
  return { adminUrl, natsUrls };
}

/** Starts all programs concurrently. They stop in the reverse of the order in which they are passed to the supervisor. */
async function startPrograms(programs: BillingPrograms, supervisor: Supervisor, guard: ProcessGuard): Promise<void> {
  const groups = [programs.processor === undefined ? [] : [programs.processor], programs.services, [programs.gateway]];
  await Promise.all(
    groups.map(group => supervisor.start(group.map(program => nodePart(program, { root: ROOT, guard })))),
  );
}

/** Restarts a part that runs and does not work; the supervisor tries until it is ready, for example once a disk has room. */
async function restartPart(supervisor: Supervisor, name: string, report: (line: string) => void): Promise<void> {
  const part = supervisor.find(name);
  if (part.pid === undefined) return;
  report(`${name} does not respond; restarting it`);
  await part.stop();
  await part.resume().catch((err: unknown) => report(err instanceof Error ? err.message : String(err)));
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
