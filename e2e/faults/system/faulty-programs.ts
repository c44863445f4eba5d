import { planBillingPrograms, type BillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';
import { NO_LIMITS } from '@billing/testing/no-limits';

/** A server that all services reach through one TCP proxy. */
export type Proxied = 'postgres' | 'nats' | 'processor';

export interface FaultySystemOptions {
  /** How many instances of a part run; the second is named `webhooks-2`. `gateway-2` calls the second instances. */
  readonly instances?: Readonly<Record<string, number>>;
  /** Additional environment variables, by the name of the part. */
  readonly env?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Returns the server's URL with the port of its proxy, which the first call starts. */
export type Reroute = (name: Proxied, url: string) => Promise<string>;

type Program = BillingPrograms['gateway'];

/** Plans the programs of a system whose servers stand behind proxies, with extra instances. */
export async function planFaultyPrograms(
  surroundings: PlanInputs,
  reroute: Reroute,
  { instances = {}, env = {} }: FaultySystemOptions,
): Promise<BillingPrograms> {
  const databaseUrls = { ...surroundings.databaseUrls };
  for (const [service, url] of Object.entries(databaseUrls))
    Object.assign(databaseUrls, { [service]: await reroute('postgres', url) });
  const natsUrls = { ...surroundings.natsUrls };
  for (const [service, url] of Object.entries(natsUrls))
    Object.assign(natsUrls, { [service]: await reroute('nats', url) });
  const planned = await planBillingPrograms({ ...surroundings, databaseUrls, natsUrls });

  for (const program of [...planned.services, planned.gateway]) {
    const { STRIPE_API_BASE_URL: processorUrl } = program.env;
    program.env = {
      ...program.env,
      ...(program.name === 'gateway' && NO_LIMITS),
      ...(processorUrl && { STRIPE_API_BASE_URL: await reroute('processor', processorUrl) }),
      ...env[program.name],
    };
  }
  const extra = await planExtraInstances([...planned.services, planned.gateway], surroundings, { instances, env });
  return { ...planned, services: [...planned.services, ...extra] };
}

async function planExtraInstances(
  programs: readonly Program[],
  { choosePort }: PlanInputs,
  { instances, env }: Required<FaultySystemOptions>,
): Promise<Program[]> {
  const planned: (Program & { readonly of: string; readonly number: number })[] = [];
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
