import { randomInt } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import { inject } from 'vitest';
import { Caller, type ApiResponse } from '../system/http.ts';
import { newTenant } from '../system/tenant.ts';

/** Returns an address that no other test uses. */
export const newAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

/** Calls the gateway that has limits, from an address. */
export const callerFrom = (address: string, headers: Record<string, string> = {}): Caller =>
  new Caller({ 'x-forwarded-for': address, ...headers }, inject('limitedGatewayUrl'));

/** Creates a tenant at the gateway that has limits; its developer has an address of their own. */
export const newLimitedTenant = (address = newAddress()) =>
  newTenant({
    gatewayUrl: inject('limitedGatewayUrl'),
    processorUrl: inject('processorUrl'),
    headers: { 'x-forwarded-for': address },
  });

/**
 * Counts requests by status as {@link countStatuses} does, within the minute for which the gateway counts them. Begins anew,
 * with what `prepare` returns, on a machine that took longer.
 */
export async function countWithinAMinute<Prepared>(
  count: number,
  prepare: () => Prepared | Promise<Prepared>,
  send: (prepared: Prepared, index: number) => Promise<Pick<ApiResponse, 'status'>>,
): Promise<{ readonly statuses: Record<number, number>; readonly prepared: Prepared }> {
  for (;;) {
    const startedAt = performance.now();
    const prepared = await prepare();
    const statuses = await countStatuses(count, index => send(prepared, index));
    if (performance.now() - startedAt < 50_000) return { statuses, prepared };
  }
}

/** Sends so many requests, `concurrency` at a time; returns how many responses had each status. */
export async function countStatuses(
  count: number,
  send: (index: number) => Promise<Pick<ApiResponse, 'status'>>,
  concurrency = 32,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let next = 0;
  const sendNext = async () => {
    while (next < count) {
      const { status } = await send((next += 1));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, sendNext));
  return statuses;
}

/** Signs in, and again while the passwords of other tests are being hashed. */
export const signIn = (caller: Caller, credentials: object): Promise<ApiResponse> =>
  waitFor(
    async () => {
      const response = await caller.post('/api/auth/sign-in/email', credentials);
      return response.status === 503 ? undefined : response;
    },
    { what: 'the sign-in', intervalMs: 1_000 },
  );
