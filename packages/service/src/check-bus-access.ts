import type { BusAccess } from '@billing/contracts/bus-access';
import type { ServiceName } from '@billing/contracts/operation';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { RpcHandler } from './definition.ts';

interface BusParts {
  readonly consumers: readonly Pick<Consumer, 'name' | 'filter'>[];
  readonly rpc: readonly Pick<RpcHandler, 'name'>[];
}

/**
 * Checks that a service consumes and serves exactly what it has declared, from which its permissions are made.
 * @throws Error that names what differs
 */
export function checkBusAccess(service: ServiceName, access: BusAccess, { consumers, rpc }: BusParts): void {
  const describe = ([name, filter]: readonly [string, string]) => `the consumer ${name} of ${filter}`;
  const declared = [...[...access.consumers].map(describe), ...[...access.serves].map(name => `the call ${name}`)];
  const used = [
    ...consumers.map(({ name, filter }) => describe([name, filter])),
    ...rpc.map(({ name }) => `the call ${name}`),
  ];
  const differences = [
    ...used.filter(it => !declared.includes(it)).map(it => `${it} is not declared`),
    ...declared.filter(it => !used.includes(it)).map(it => `${it} is declared only`),
  ];
  if (differences.length > 0)
    throw new Error(`${service}: ${differences.join('; ')}. See contracts/src/bus-access.ts and contracts/src/rpc.`);
}
