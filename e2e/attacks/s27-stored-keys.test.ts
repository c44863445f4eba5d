import { Client } from 'pg';
import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createResetLink } from '../system/account.ts';
import { Caller, ok } from '../system/http.ts';
import { invite, newCustomer, newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { findInDatabase, markDatabase, type DatabaseMark } from './database-dump.ts';
import { randomKey } from './random-key.ts';

let mark: DatabaseMark;
let tenant: Tenant;
beforeAll(async () => {
  mark = await markDatabase();
  tenant = await newTenant();
});

describe('what is stored of keys and passwords', () => {
  it('S27: a dump of the database has no API key, rotated or revoked key, portal token, invitation, reset token, session or password', async () => {
    const { user, P, billing, credentials, secret } = tenant;
    const newKey = async () => ok(user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }), 201);
    const [rotated, revoked, name] = [await newKey(), await newKey(), newEmail()];
    const renewed = await ok(user.post(`${P}/api-keys/${rotated.apiKey.id}/rotate`, {}), 201);
    await ok(user.delete(`${P}/api-keys/${revoked.apiKey.id}`));
    const repeated = await ok(
      user.post(`${P}/api-keys`, { name: 'x', scopes: ['products:read'] }, { 'idempotency-key': newEmail() }),
      201,
    );
    const { token } = await billing.portal.create({ customerId: await newCustomer(tenant) });
    const invitation = /invitations\/(.+)\/accept/.exec(await invite(tenant, name))?.[1] ?? '';
    const link = await createResetLink(inject('dataDir'), credentials.email);
    const secrets = {
      'the key': secret,
      'the rotated key': rotated.secret,
      'its successor': renewed.secret,
      'the revoked key': revoked.secret,
      'the key of a repeatable request': repeated.secret,
      'the portal token': token,
      'the invitation': invitation,
      'the reset token': link.split('#')[1] ?? '',
      'the session cookie': decodeURIComponent(user.cookie.slice(user.cookie.indexOf('=') + 1)),
      'the password': credentials.password,
    };
    for (const [what, text] of Object.entries(secrets)) expect(text.length, what).toBeGreaterThan(16);
    expect(await findInDatabase({ ...secrets, 'the invited address': name }, mark)).toEqual([
      { what: 'the invited address', column: expect.stringMatching(/invitation/) },
    ]);
  });

  it('S27: a key with a wrong checksum is 401 without a look into the database, and one with a right checksum is looked up', async () => {
    const { P, secret } = tenant;
    const statusOf = async (key: string) =>
      (await new Caller({ authorization: `Bearer ${key}` }).get(`${P}/customers`)).status;
    const last = secret.at(-1);
    const wrong = [
      secret.slice(0, -1) + (last === '0' ? '1' : '0'),
      secret.toLowerCase(),
      secret.slice(0, -1),
      `${secret}0`,
      secret.replace('bil_test_', 'bil_live_'),
      secret.slice(0, 12) + (secret[12] === 'A' ? 'B' : 'A') + secret.slice(13),
    ];
    const [keys, watcher] = [await connectTo(), await connectTo()];
    try {
      // While nobody can read the table, only what is refused without it gets a response.
      await keys.query('begin');
      await keys.query('lock table api_keys in access exclusive mode');
      for (const key of wrong) expect(await statusOf(key)).toBe(401);
      const looking = statusOf(randomKey());
      await waitFor(
        async () => {
          const { rowCount } = await watcher.query(
            `select from pg_locks where not granted and relation = 'api_keys'::regclass`,
          );
          return rowCount !== null && rowCount > 0;
        },
        { what: 'the lookup of a key' },
      );
      await keys.query('rollback');
      expect(await looking).toBe(401);
    } finally {
      await Promise.all([keys.end(), watcher.end()]);
    }
    expect(await statusOf(secret)).toBe(200);
  });
});

async function connectTo(): Promise<Client> {
  const client = new Client({ connectionString: findServers(inject('dataDir'), 'gateway').databaseUrl });
  await client.connect();
  return client;
}
