import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import type { NodeProgram } from './part.ts';
import type { ChoosePort } from './remembered-ports.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

export interface Surroundings {
  /** The repository. */
  root: string;
  settings: Settings;
  secrets: Secrets;
  natsUrl: string;
  /** Each service's own role. */
  databaseUrls: Readonly<Record<ServiceName, string>>;
  gatewayPort: number;
  publicUrl: string;
  choosePort: ChoosePort;
}

/** The programs of the system. They start in this order's groups and stop in the reverse. */
export interface BillingPrograms {
  /** Absent when `STRIPE_API_BASE_URL` names another. */
  processor?: NodeProgram | undefined;
  services: NodeProgram[];
  gateway: NodeProgram;
}

/** Those that call the payment processor, and so hold the teams' encrypted credentials. */
const CALLS_PROCESSOR: readonly ServiceName[] = [
  'catalog',
  'customers',
  'subscriptions',
  'referrals',
  'portal',
  'webhooks',
];

/** Says for every program of the system where it listens and what its environment is. */
export async function planBillingPrograms(surroundings: Surroundings): Promise<BillingPrograms> {
  const { settings, gatewayPort, root } = surroundings;
  const ports = { ...(await chooseServicePorts(surroundings.choosePort)), gateway: gatewayPort };
  const processor = settings.stripeApiBaseUrl === undefined ? await planProcessor(surroundings) : undefined;
  const processorUrl = settings.stripeApiBaseUrl ?? `http://127.0.0.1:${processor?.port}`;

  const programOf = (service: ServiceName): NodeProgram => ({
    name: service,
    entry: join(root, 'services', service, 'src/main.ts'),
    port: ports[service],
    logFile: join(settings.dataDir, 'logs', `${service}.log`),
    env: {
      ...commonEnvironment(surroundings),
      PORT: `${ports[service]}`,
      DATABASE_URL: surroundings.databaseUrls[service],
      NATS_URL: surroundings.natsUrl,
      IDENTITY_PUBLIC_KEY: surroundings.secrets.identityPublicKey,
      ...(service === 'gateway' ? gatewayEnvironment(surroundings, ports) : {}),
      ...(CALLS_PROCESSOR.includes(service)
        ? { STRIPE_API_BASE_URL: processorUrl, CREDENTIALS_KEY: surroundings.secrets.credentialsKey }
        : {}),
    },
  });
  return {
    processor,
    services: SERVICES.filter(service => service !== 'gateway').map(programOf),
    gateway: programOf('gateway'),
  };
}

async function planProcessor(surroundings: Surroundings): Promise<NodeProgram> {
  const { root, settings, choosePort } = surroundings;
  const port = await choosePort('processor');
  return {
    name: 'processor',
    entry: join(root, 'tools/local-processor/src/main.ts'),
    port,
    logFile: join(settings.dataDir, 'logs', 'processor.log'),
    env: {
      ...commonEnvironment(surroundings),
      PORT: `${port}`,
      PUBLIC_URL: `http://localhost:${port}`,
      DATA_FILE: join(settings.dataDir, 'processor.sqlite'),
    },
  };
}

function commonEnvironment({ root, settings, publicUrl }: Surroundings): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    LOG_LEVEL: settings.logLevel,
    PUBLIC_URL: publicUrl,
    NODE_ENV: 'production',
    // The stripped types and the compiled code of every module, kept for the next start.
    NODE_COMPILE_CACHE: join(settings.dataDir, 'cache', 'node'),
    ...telemetryEnvironment(root, settings),
  };
}

/** Telemetry must be loaded before what it watches. */
function telemetryEnvironment(root: string, { otlpEndpoint }: Surroundings['settings']): Record<string, string> {
  if (otlpEndpoint === undefined) return {};
  const registration = pathToFileURL(join(root, 'packages/service/src/register-telemetry.ts')).href;
  return { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint, NODE_OPTIONS: `--import=${registration}` };
}

function gatewayEnvironment({ secrets }: Surroundings, ports: Record<ServiceName, number>): Record<string, string> {
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

async function chooseServicePorts(choosePort: ChoosePort): Promise<Record<ServiceName, number>> {
  const ports: Array<[ServiceName, number]> = [];
  for (const service of SERVICES) if (service !== 'gateway') ports.push([service, await choosePort(service)]);
  // The gateway's is added where it is known; every other name has one.
  return Object.fromEntries(ports) as Record<ServiceName, number>;
}
