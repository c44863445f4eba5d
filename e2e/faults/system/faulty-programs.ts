import { planBillingPrograms, type BillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { NO_LIMITS } from '@billing/testing/no-limits';

/** A server that all services reach through one TCP proxy. */
export type Proxied = 'postgres' | 'nats' | 'processor';

export interface FaultySystemOptions {
  /** How many instances of a part run; the second is named `webhooks-2`. `gateway-2` calls the second instances. */
  readonly instances?: Readonly<Record<string, number>>;
  /** How many copies of every service run behind a load balancer that passes over copies that close; without one unless given. */
  readonly balancedCopies?: number;
  /** A NATS cluster, in place of a server behind a proxy. */
  readonly nats?: {
    /** Of the user that creates the stream. */
    readonly natsUrl: string;
    readonly natsReplicas: number;
    readonly urlOf: (service: ServiceName) => string;
  };
  /** A PostgreSQL of the test's own, by a role that may create roles. */
  readonly databaseUrl?: string;
  /** Additional environment variables, by the name of the part. */
  readonly env?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Returns the server's URL with the port of its proxy, which the first call starts. */
export type Reroute = (name: Proxied, url: string) => Promise<string>;

/** Starts a load balancer in front of the copies on these ports, and returns its URL. */
export type Balance = (service: string, ports: readonly number[]) => Promise<string>;

type Program = BillingPrograms['gateway'];

/** One more copy of a program. */
type Copy = Program & { readonly of: string; readonly number: number };

/** Returns the names of the copies of a service: `webhooks`, `webhooks-2` and so on. */
export const copiesOf = (service: string, copies: number): string[] =>
  Array.from({ length: copies }, (_, index) => (index === 0 ? service : `${service}-${index + 1}`));

/** Plans the programs of a system whose servers stand behind proxies, with extra instances. */
export async function planFaultyPrograms(
  surroundings: PlanInputs,
  { reroute, balance }: { readonly reroute: Reroute; readonly balance: Balance },
  { instances: wanted = {}, env = {}, balancedCopies, nats }: FaultySystemOptions,
): Promise<BillingPrograms> {
  const databaseUrls = { ...surroundings.databaseUrls };
  for (const [service, url] of Object.entries(databaseUrls))
    Object.assign(databaseUrls, { [service]: await reroute('postgres', url) });
  const natsUrls = { ...surroundings.natsUrls };
  // The services know every server of a cluster themselves.
  for (const service of SERVICES)
    natsUrls[service] = nats ? nats.urlOf(service) : await reroute('nats', natsUrls[service]);
  const planned = await planBillingPrograms({ ...surroundings, databaseUrls, natsUrls });
  const all = [...planned.services, planned.gateway];
  const instances =
    balancedCopies === undefined ? wanted : Object.fromEntries(all.map(({ name }) => [name, balancedCopies]));

  for (const program of all) {
    const { STRIPE_API_BASE_URL: processorUrl } = program.env;
    program.env = {
      ...program.env,
      ...(program.name === 'gateway' && NO_LIMITS),
      ...(processorUrl && { STRIPE_API_BASE_URL: await reroute('processor', processorUrl) }),
      ...env[program.name],
    };
  }
  const extra = await planExtraInstances(all, surroundings, { instances, env });
  if (balancedCopies !== undefined) await balancePrograms([...all, ...extra], balance);
  return { ...planned, services: [...planned.services, ...extra] };
}

/** Has the gateways reach every service through its load balancer, and copies close as slowly as in docker-compose.yml. */
async function balancePrograms(programs: readonly Program[], balance: Balance): Promise<void> {
  const serviceOf = ({ name }: Program) => name.replace(/-\d+$/, '');
  const urls: Record<string, string> = {};
  for (const [service, copies] of Map.groupBy(programs, serviceOf)) {
    const url = await balance(
      service,
      copies.map(({ port }) => port),
    );
    if (service !== 'gateway') urls[`${service.toUpperCase()}_URL`] = url;
  }
  for (const program of programs)
    program.env = { ...program.env, CLOSE_DELAY_SECONDS: '3', ...(serviceOf(program) === 'gateway' && urls) };
}

async function planExtraInstances(
  programs: readonly Program[],
  { choosePort }: PlanInputs,
  { instances, env }: Required<Pick<FaultySystemOptions, 'instances' | 'env'>>,
): Promise<Copy[]> {
  const planned: Copy[] = [];
  for (const program of programs)
    for (let number = 2; number <= (instances[program.name] ?? 1); number += 1) {
      const name = `${program.name}-${number}`;
      const port = await choosePort(name);
      const logFile = program.logFile.replace(/\.log$/, `-${number}.log`);
      const ownEnv = { ...program.env, PORT: `${port}`, ...env[name] };
      planned.push({ ...program, of: program.name, number, name, port, logFile, env: ownEnv });
    }
  for (const gateway of planned.filter(({ of }) => of === 'gateway'))
    for (const { of, number, port } of planned)
      if (of !== 'gateway' && number === gateway.number)
        gateway.env = { ...gateway.env, [`${of.toUpperCase()}_URL`]: `http://127.0.0.1:${port}` };
  return planned;
}
