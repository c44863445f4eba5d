import type { Server } from 'node:http';
import { addressGroup, type IsTrustedProxy } from '#domain/addresses.ts';

export interface ConnectionLimits {
  readonly max: number;
  /** Of one address (IPv6: one /64). */
  readonly maxPerAddress: number;
  /** A proxy connects for many callers. */
  readonly isTrustedProxy: IsTrustedProxy;
}

/** Closes connections beyond the limits at once. */
export function limitConnections(server: Server, { max, maxPerAddress, isTrustedProxy }: ConnectionLimits): void {
  server.maxConnections = max;
  const byAddress = new Map<string, number>();
  server.on('connection', socket => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrustedProxy(remoteAddress, 0)) return;
    const address = addressGroup(remoteAddress);
    const count = (byAddress.get(address) ?? 0) + 1;
    byAddress.set(address, count);
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
    if (count > maxPerAddress) socket.destroy();
  });
}
