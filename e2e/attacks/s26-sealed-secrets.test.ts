import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ok } from '../system/http.ts';
import { newMonthlyPrice, newEmail, newSubscription, newTenant, type Tenant } from '../system/tenant.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { readLogs } from '../system/logs.ts';
import { findInDatabase, markDatabase } from './database-dump.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';

let webhooks: Pool;
beforeAll(() => {
  webhooks = new Pool({ connectionString: findServers(inject('dataDir'), 'webhooks').databaseUrl });
});
afterAll(async () => {
  // What works in the background would go on to fail with these teams, and to say so in the logs.
  for (const restore of restoring) await restore();
  await webhooks.end();
});
const restoring: (() => Promise<unknown>)[] = [];

/** Whoever can write into the tables; each team below is new, so that no service has its secrets in memory. */
async function setKey(team: Tenant, sealed: string): Promise<void> {
  const own = await sealedKeyOf(team);
  const set = (value: string) =>
    webhooks.query('update processor_accounts set sealed_secret_key = $1 where team_id = $2', [value, team.teamId]);
  restoring.push(() => set(own));
  await set(sealed);
}

async function setSigningSecret(team: Tenant, sealed: string): Promise<void> {
  const own = await sealedSigningSecretOf(team);
  const set = (value: string) =>
    webhooks.query('update signing_secrets set sealed_secret = $1 where team_id = $2', [value, team.teamId]);
  restoring.push(() => set(own));
  await set(sealed);
}

async function sealedKeyOf({ teamId }: Tenant): Promise<string> {
  const { rows } = await webhooks.query<{ sealed: string }>(
    'select sealed_secret_key as sealed from processor_accounts where team_id = $1',
    [teamId],
  );
  return rows[0]?.sealed ?? '';
}

async function sealedSigningSecretOf({ teamId }: Tenant): Promise<string> {
  const { rows } = await webhooks.query<{ sealed: string }>(
    'select sealed_secret as sealed from signing_secrets where team_id = $1',
    [teamId],
  );
  return rows[0]?.sealed ?? '';
}

/** Returns the text with another character at `index`, from the end when it is negative. */
function altered(text: string, index: number): string {
  const at = index < 0 ? text.length + index : index;
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}

/** Whether a log says that a secret of the team does not open. */
const hasAlertOf = async ({ teamId }: Tenant): Promise<boolean> =>
  (await readLogs()).some(({ line }) => line.includes('sealed secret does not open') && line.includes(teamId));

/** Everything written to a team's account; the reconciler reads from it at any time. */
async function writesTo({ processor }: Tenant) {
  const { objects, calls } = await processor.ledger();
  return { objects, calls: Object.fromEntries(Object.entries(calls).filter(([call]) => !call.startsWith('GET '))) };
}

describe('encrypted secrets', () => {
  it('S26: a dump of the database has no key and no signing secret of a team, whatever was done with them', async () => {
    const mark = await markDatabase();
    const tenant = await newTenant();
    const { priceId } = await newMonthlyPrice(tenant);
    await newSubscription(tenant, priceId);
    const { secretKey, webhookSecret, teamPath, user } = tenant;
    // Connected again with one more secret, and with another: a replaced one stays for a while.
    const additional = `whsec_${'a1b2c3d4'.repeat(4)}`;
    const credentials = { secretKey, webhookSecret, additionalWebhookSecrets: [additional] };
    await ok(user.post(`${teamPath}/processor/connect`, credentials));
    const newer = `whsec_${'e5f6a7b8'.repeat(4)}`;
    await tenant.connectWith(newer);
    const found = await findInDatabase(
      {
        'the key': secretKey,
        'the key without its prefix': secretKey.replace('sk_test_', ''),
        'the signing secret': webhookSecret,
        'the signing secret without its prefix': webhookSecret.replace('whsec_', ''),
        'one more signing secret': additional,
        'a newer signing secret': newer,
        'the price': priceId,
      },
      mark,
    );
    expect(found.map(({ what }) => what)).toContain('the price');
    expect(found.filter(({ what }) => what !== 'the price')).toEqual([]);
    const [key, signing] = [await sealedKeyOf(tenant), await sealedSigningSecretOf(tenant)];
    expect(key).toMatch(/^v1\.\d+\./);
    expect(signing).toMatch(/^v1\.\d+\./);
  });

  it('S26: a sealed key that is moved to another team, swapped for a signing secret, altered or cut is 503, and nothing is written to any account', async () => {
    const victim = await newTenant();
    const [sealed, signing] = [await sealedKeyOf(victim), await sealedSigningSecretOf(victim)];
    const [format, version, wrapped = '', secret = ''] = sealed.split('.');
    const join = (...parts: readonly string[]) => [format, version, ...parts].join('.');
    const attacks = {
      'another team’s key': () => sealed,
      'another team’s signing secret': () => signing,
      'the own signing secret': (_own: string, ownSigning: string) => ownSigning,
      'another nonce of the wrapped key': (own: string) => altered(own, own.indexOf('.', 3) + 1),
      'another nonce of the secret': (own: string) => altered(own, own.lastIndexOf('.') + 1),
      'another tag or text': (own: string) => altered(own, -8),
      'another team’s wrapped key': (own: string) => join(wrapped, own.split('.')[3] ?? ''),
      'another team’s secret': (own: string) => join(own.split('.')[2] ?? '', secret),
      'another version of the master key': (own: string) => own.replace(/^v1\.\d+/, 'v1.99'),
      'no wrapped key': (own: string) => `v1.1.${own.split('.')[3]}`,
      cut: (own: string) => own.slice(0, -24),
      'the key in clear': () => victim.secretKey,
    };
    const before = await writesTo(victim);
    const seen = await mapConcurrently(Object.entries(attacks), async ([what, attack]) => {
      const team = await newTenant();
      const written = await writesTo(team);
      await setKey(team, attack(await sealedKeyOf(team), await sealedSigningSecretOf(team)));
      const writes = await Promise.all([
        team.api.post(`${team.P}/products`, { name: 'Planted' }),
        team.api.post(`${team.P}/customers`, { email: newEmail() }),
      ]);
      return { what, team, statuses: writes.map(({ status }) => status), written };
    });
    for (const { what, team, statuses, written } of seen) {
      expect({ what, statuses }).toEqual({ what, statuses: [503, 503] });
      expect(await writesTo(team), what).toEqual(written);
      await waitFor(() => hasAlertOf(team), { what: `an alert of ${what}` });
    }
    expect(await writesTo(victim)).toEqual(before);
  });

  it('S26: a signing secret that is moved to another team verifies nothing there, and the sender is told to try again', async () => {
    const [thief, team] = [await newTenant(), await newTenant()];
    await setSigningSecret(team, await sealedSigningSecretOf(thief));
    const event = newSignedEvent('customer.updated', { id: 'cus_planted', object: 'customer', metadata: {} });
    for (const { webhookSecret } of [thief, team])
      expect(await postSigned({ ...team, webhookSecret }, event)).toMatchObject({ status: 503 });
    const { rows } = await webhooks.query('select from webhook_events where team_id = $1', [team.teamId]);
    expect(rows).toEqual([]);
    expect((await postSigned(thief, event)).status).toBe(200);
  });
});
