import { join } from 'node:path';
import { callersOf } from '@billing/contracts/bus-access';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { ensureMasterKeys } from './master-keys.ts';
import type { NodeProgram } from './part.ts';
import type { ChoosePort } from './stable-ports.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

/** The inputs of {@link planBillingPrograms}. */
export interface PlanInputs {
  /** The folder of the repository. */
  root: string;
  settings: Settings;
  secrets: Secrets;
  /** Each URL connects a service's own user. */
  natsUrls: Readonly<Record<ServiceName, string>>;
  /** Each URL connects a service's own role. */
  databaseUrls: Readonly<Record<ServiceName, string>>;
  gatewayPort: number;
  publicUrl: string;
  /** Of the supervisor. */
  controlPort: number;
  choosePort: ChoosePort;
}

/** The programs of the system, in the reverse of the order in which they stop. */
export interface BillingPrograms {
  /** The local processor; absent when `STRIPE_API_BASE_URL` is set. */
  processor?: NodeProgram | undefined;
  services: NodeProgram[];
  gateway: NodeProgram;
}

const POSTGRES_PORT = 5_432;
const NATS_PORT = 4_222;

/** The services that call the payment processor and open the teams' credentials. */
const PROCESSOR_SERVICES = callersOf(FindProcessorCredentials);

/** Where tenants' events may be sent on a developer's machine, unless `WEBHOOKS_ALLOW_ADDRESSES` says otherwise. */
const LOOPBACK = '127.0.0.0/8,[::1],localhost';

/** Returns the port and the environment of every program of the system. */
export async function planBillingPrograms(inputs: PlanInputs): Promise<BillingPrograms> {
  const { settings, gatewayPort, root } = inputs;
  const ports = { ...(await chooseServicePorts(inputs.choosePort)), gateway: gatewayPort };
  const processor = settings.stripeApiBaseUrl === undefined ? await planProcessor(inputs) : undefined;
  const processorUrl = settings.stripeApiBaseUrl ?? `http://127.0.0.1:${processor?.port}`;
  const metricsPorts = await chooseMetricsPorts(inputs);
  const ownPorts = new Set(
    [
      ...Object.values(ports),
      ...metricsPorts.values(),
      processor?.port,
      inputs.controlPort,
      ...[inputs.publicUrl, processorUrl].map(portOf),
      ...Object.values(inputs.databaseUrls).map(url => portOf(url) ?? POSTGRES_PORT),
      ...Object.values(inputs.natsUrls).flatMap(urls => urls.split(',').map(url => portOf(url) ?? NATS_PORT)),
    ].filter(port => port !== undefined),
  );

  const programOf = (service: ServiceName): NodeProgram => ({
    name: service,
    entry: bundled(root, service),
    port: ports[service],
    logFile: join(settings.dataDir, 'logs', `${service}.log`),
    env: {
      ...commonEnvironment(inputs),
      ...metricsEnvironment(metricsPorts.get(service)),
      PORT: `${ports[service]}`,
      DATABASE_URL: inputs.databaseUrls[service],
      NATS_URL: inputs.natsUrls[service],
      IDENTITY_PUBLIC_KEY: inputs.secrets.identityPublicKey,
      ...(service === 'gateway' ? gatewayEnvironment(inputs, ports) : {}),
      ...(PROCESSOR_SERVICES.includes(service)
        ? { STRIPE_API_BASE_URL: processorUrl, SERVICE_KEY: inputs.secrets.serviceKeys[service] }
        : {}),
      ...(service === 'webhooks' ? webhooksEnvironment(inputs, ownPorts) : {}),
    },
  });
  const services = SERVICES.filter(service => service !== 'gateway').map(programOf);
  return { processor, services, gateway: programOf('gateway') };
}

async function planProcessor(inputs: PlanInputs): Promise<NodeProgram> {
  const { root, settings, choosePort } = inputs;
  const port = await choosePort('processor');
  return {
    name: 'processor',
    entry: bundled(root, 'local-processor'),
    // It holds its accounts in memory: one of 20,000 customers needs more than a gigabyte.
    heapMegabytes: 4_096,
    port,
    logFile: join(settings.dataDir, 'logs', 'processor.log'),
    env: {
      ...commonEnvironment(inputs),
      PORT: `${port}`,
      PUBLIC_URL: `http://localhost:${port}`,
      WEBHOOK_ORIGINS: inputs.publicUrl,
      DATA_FILE: join(settings.dataDir, 'processor.sqlite'),
    },
  };
}

/** Returns where `tools/bundle` puts a program. */
const bundled = (root: string, program: string): string => join(root, 'tools/bundle/dist', `${program}.js`);

function commonEnvironment({ root, settings, publicUrl }: PlanInputs): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    LOG_LEVEL: settings.logLevel,
    PUBLIC_URL: publicUrl,
    NODE_ENV: 'production',
    // Every start after the first reads the compiled code of each module from here.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'billing'),
  };
}

/** Each service has a port of its own for `/metrics`, which `ports.json` names. */
async function chooseMetricsPorts({ settings, choosePort }: PlanInputs): Promise<ReadonlyMap<ServiceName, number>> {
  const ports = new Map<ServiceName, number>();
  if (!settings.exporters?.OTEL_METRICS_EXPORTER.includes('prometheus')) return ports;
  for (const service of SERVICES) ports.set(service, await choosePort(`${service}-metrics`));
  return ports;
}

const metricsEnvironment = (port: number | undefined): Record<string, string> =>
  port === undefined ? {} : { OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1', OTEL_EXPORTER_PROMETHEUS_PORT: `${port}` };

function gatewayEnvironment({ secrets }: PlanInputs, ports: Record<ServiceName, number>): Record<string, string> {
  const addresses = SERVICES.filter(service => service !== 'gateway').map(service => [
    `${service.toUpperCase()}_URL`,
    `http://127.0.0.1:${ports[service]}`,
  ]);
  return {
    IDENTITY_PRIVATE_KEY: secrets.identityPrivateKey,
    AUTH_SECRET: secrets.authSecret,
    ...Object.fromEntries(addresses),
  };
}

function webhooksEnvironment({ secrets, settings }: PlanInputs, ownPorts: ReadonlySet<number>): Record<string, string> {
  return {
    WEBHOOKS_ALLOW_ADDRESSES: settings.webhooksAllowAddresses ?? LOOPBACK,
    WEBHOOKS_OWN_PORTS: [...ownPorts].join(','),
    CREDENTIALS_KEYS: `file:${ensureMasterKeys(settings.dataDir, secrets.credentialsKey)}`,
    SERVICE_KEYS: PROCESSOR_SERVICES.map(service => `${service}:${secrets.serviceKeys[service]}`).join(','),
  };
}

async function chooseServicePorts(choosePort: ChoosePort): Promise<Record<ServiceName, number>> {
  const ports: Array<[ServiceName, number]> = [];
  for (const service of SERVICES) if (service !== 'gateway') ports.push([service, await choosePort(service)]);
  // The caller adds the gateway's port; every other service has one here.
  return Object.fromEntries(ports) as Record<ServiceName, number>;
}

/** The port that a URL names, if it does. */
const portOf = (url: string): number | undefined => Number(URL.parse(url)?.port) || undefined;
