import { Agent } from 'node:http';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { newCustomer, newTenant, type Tenant } from '../system/tenant.ts';
import { sendOver } from './send-over.ts';

/** Anonymous requests, between those of two tenants. */
const ANONYMOUS = 1_000;

let tenants: readonly Tenant[];
let customers: readonly string[];
beforeAll(async () => {
  tenants = await Promise.all([newTenant(), newTenant()]);
  customers = await Promise.all(tenants.map(newCustomer));
});

describe('requests that share connections', () => {
  it('S22: a thousand anonymous requests between two tenants’ own, in parallel on shared connections, are 401 each, and each tenant sees its own data alone', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 12 });
    const [first, second] = tenants;
    if (!first || !second) throw new Error('Two tenants are always created.');
    const own = tenants.map(({ P, secret }, index) => {
      return { path: P, headers: { authorization: `Bearer ${secret}` }, status: 200, customer: customers[index] };
    });
    const bySession = { path: first.P, headers: { cookie: first.user.cookie }, status: 200, customer: customers[0] };
    const anonymous = tenants.map(({ P }) => ({ path: P, headers: {}, status: 401, customer: undefined }));
    const rounds = Array.from({ length: ANONYMOUS / 10 }, (_, round) => [
      ...own.flatMap(one => [one, ...anonymous, ...anonymous]),
      round % 10 === 0 ? bySession : own[round % 2],
      ...anonymous,
    ]);
    const requests = rounds.flat().filter(request => request !== undefined);
    const seen = await Promise.all(
      requests.map(async ({ path, headers }) => {
        const sent = { path: `${path}/customers`, headers };
        const { status, text } = await sendOver(agent, inject('gatewayUrl'), sent);
        return { status, customers: text.match(/pc_\w+/g) ?? [] };
      }),
    );
    agent.destroy();
    for (const [index, { status, customer }] of requests.entries())
      expect(seen[index]).toEqual({ status, customers: customer === undefined ? [] : [customer] });
  });
});
