import { planBillingPrograms, type BillingPrograms, type Surroundings } from '@billing/local-system/billing-parts';

/** Behind a proxy, one for all services. */
export type Proxied = 'postgres' | 'nats' | 'processor';

export interface FaultySystemOptions {
  /** How many of a part run; the second is called `webhooks-2`. A second gateway asks the second copies. */
  readonly copies?: Readonly<Record<string, number>>;
  /** Further variables of a part, by its name. */
  readonly env?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The address of a proxy, made at the first call, in place of the server's own. */
export type Reroute = (name: Proxied, url: string) => Promise<string>;

type Program = BillingPrograms['gateway'];

/** Tests ask more often than people do. */
const NO_LIMITS = {
  RATE_LIMIT_PER_KEY: '1000000',
  RATE_LIMIT_SESSION_CREATION: '100000',
  RATE_LIMIT_SIGN_IN: '100000',
  RATE_LIMIT_BAD_PORTAL_TOKENS: '100000',
};

/** The programs of the system, with every server behind its proxy, and the copies that were asked for. */
export async function planFaultyPrograms(
  surroundings: Surroundings,
  reroute: Reroute,
  { copies = {}, env = {} }: FaultySystemOptions,
): Promise<BillingPrograms> {
  const databaseUrls = { ...surroundings.databaseUrls };
  for (const [service, url] of Object.entries(databaseUrls))
    Object.assign(databaseUrls, { [service]: await reroute('postgres', url) });
  const natsUrl = await reroute('nats', surroundings.natsUrl);
  const planned = await planBillingPrograms({ ...surroundings, databaseUrls, natsUrl });

  for (const program of [...planned.services, planned.gateway]) {
    const { STRIPE_API_BASE_URL: processorUrl } = program.env;
    program.env = {
      ...program.env,
      ...(program.name === 'gateway' && NO_LIMITS),
      ...(processorUrl && { STRIPE_API_BASE_URL: await reroute('processor', processorUrl) }),
      ...env[program.name],
    };
  }
  const further = await planCopies([...planned.services, planned.gateway], surroundings, { copies, env });
  return { ...planned, services: [...planned.services, ...further] };
}

async function planCopies(
  programs: readonly Program[],
  { choosePort }: Surroundings,
  { copies, env }: Required<FaultySystemOptions>,
): Promise<Program[]> {
  const planned: (Program & { readonly of: string; readonly number: number })[] = [];
  for (const program of programs)
    for (let number = 2; number <= (copies[program.name] ?? 1); number += 1) {
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
