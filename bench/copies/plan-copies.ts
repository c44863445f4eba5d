import { planBillingPrograms, type BillingPrograms, type PlanInputs } from '@billing/local-system/billing-programs';

/** The services that run in several copies. */
export const COPIED = ['subscriptions', 'webhooks'] as const;

/** Returns the name of a copy: `webhooks`, then `webhooks-2`. */
export const nameOfCopy = (service: string, number: number): string =>
  number === 1 ? service : `${service}-${number}`;

/**
 * Plans a system with so many copies of the services above. The gateway reaches webhooks through `balance`, which returns
 * the port of a balancer for the ports of all copies; subscriptions get their events from the bus.
 */
export async function planCopies(
  inputs: PlanInputs,
  copies: number,
  balance: (ports: readonly number[]) => Promise<number>,
): Promise<BillingPrograms> {
  const planned = await planBillingPrograms(inputs);
  const services = [...planned.services];
  for (const program of planned.services.filter(({ name }) => COPIED.some(it => it === name)))
    for (let number = 2; number <= copies; number += 1) {
      const name = nameOfCopy(program.name, number);
      const port = await inputs.choosePort(name);
      const logFile = program.logFile.replace(/\.log$/, `-${number}.log`);
      services.push({ ...program, name, port, logFile, env: { ...program.env, PORT: `${port}` } });
    }
  const ports = services.filter(({ name }) => name.startsWith('webhooks')).map(({ port }) => port);
  const env = { ...planned.gateway.env, WEBHOOKS_URL: `http://127.0.0.1:${await balance(ports)}` };
  return { ...planned, services, gateway: { ...planned.gateway, env } };
}
