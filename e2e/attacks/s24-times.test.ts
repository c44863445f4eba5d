import { randomBytes } from 'node:crypto';
import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { ServiceName } from '@billing/contracts/operation';
import { Caller, ok, type ApiResponse } from '../system/http.ts';
import { withClient } from '../system/servers.ts';
import { newSignedEvent } from '../system/signed-events.ts';
import { newCustomer, newTenant, type Tenant } from '../system/tenant.ts';
import { randomKey } from './random-key.ts';

/*
 * A response takes as long as the work behind it. These tests show that both kinds of a request do the same work, since a
 * clock would measure this machine. That a sign-in for an unknown address hashes is shown with S36.
 */

let tenant: Tenant;
beforeAll(async () => void (tenant = await newTenant()));

const anyone = new Caller({}, inject('gatewayUrl'));

/**
 * Sends a request while nobody can read a table, and expects it to wait for that; returns its response's status. Before,
 * `meanwhile` has to end without the table.
 */
async function statusAfterLookUp(
  service: ServiceName,
  table: string,
  send: () => Promise<ApiResponse>,
  meanwhile: () => Promise<void> = async () => {},
): Promise<number> {
  return withClient(findServers(inject('dataDir'), service).databaseUrl, async client => {
    await client.query('begin');
    await client.query(`lock table ${table} in access exclusive mode`);
    await meanwhile();
    const sent = send();
    const waiting = 'select from pg_locks where not granted and relation = $1::regclass';
    const isAwaited = async () => (await client.query(waiting, [table])).rows.length > 0;
    await waitFor(isAwaited, { what: `a look into ${table}` });
    expect(await Promise.race([sent, Promise.resolve('no response')])).toBe('no response');
    await client.query('rollback');
    return (await sent).status;
  });
}

describe('what exists cannot be told from the time a response takes', () => {
  it('S24: a revoked API key is looked up like one that nobody ever had', async () => {
    const { user, P } = tenant;
    const { apiKey, secret } = await ok(user.post(`${P}/api-keys`, { name: 'x', scopes: ['customers:read'] }), 201);
    await ok(user.delete(`${P}/api-keys/${apiKey.id}`));
    for (const key of [secret, randomKey()]) {
      const caller = new Caller({ authorization: `Bearer ${key}` }, inject('gatewayUrl'));
      expect(await statusAfterLookUp('gateway', 'api_keys', () => caller.get(`${P}/customers`))).toBe(401);
    }
  });

  it('S27: a key with a wrong checksum is 401 without a look into the database, and one with a right checksum is looked up', async () => {
    const { P, secret } = tenant;
    const get = (key: string) =>
      new Caller({ authorization: `Bearer ${key}` }, inject('gatewayUrl')).get(`${P}/customers`);
    const wrong = [
      secret.slice(0, -1) + (secret.at(-1) === '0' ? '1' : '0'),
      secret.toLowerCase(),
      secret.slice(0, -1),
      `${secret}0`,
      secret.replace('bil_test_', 'bil_live_'),
      secret.slice(0, 12) + (secret[12] === 'A' ? 'B' : 'A') + secret.slice(13),
    ];
    const tryWrong = async () => {
      for (const key of wrong) expect((await get(key)).status).toBe(401);
    };
    expect(await statusAfterLookUp('gateway', 'api_keys', () => get(randomKey()), tryWrong)).toBe(401);
    expect((await get(secret)).status).toBe(200);
  });

  it('S24: a revoked portal link is looked up like one that never existed', async () => {
    const { sessionId, token } = await tenant.billing.portal.create({ customerId: await newCustomer(tenant) });
    await tenant.billing.portal.revoke(sessionId);
    const invented = randomBytes(32).toString('base64url');
    for (const link of [token, invented])
      expect(await statusAfterLookUp('portal', 'portal_sessions', () => anyone.get(`/portal/${link}`))).toBe(404);
  });

  it('S24: a forged webhook for a team that does not exist gets the answer of one that does', async () => {
    const event = newSignedEvent('customer.updated', { id: 'cus_forged', object: 'customer' });
    const forged = { 'stripe-signature': 't=1,v1=00', 'x-request-id': 'the-same' };
    const [known, unknown] = await Promise.all(
      [tenant.teamId, `team_${'0'.repeat(24)}`].map(teamId =>
        anyone.send('POST', `/api/webhooks/processor/${teamId}`, event, forged),
      ),
    );
    expect(known?.status).toBe(400);
    expect(unknown).toMatchObject({ status: 400, body: known?.body });
  });
});
