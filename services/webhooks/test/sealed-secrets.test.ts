import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { unseal } from '@billing/processor/credentials';
import { formatKeyRing, keyRingOf, openKeyRing } from '@billing/processor/key-ring';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasOldSecrets, resealSecrets } from '../src/accounts/reseal-secrets.ts';
import { addMasterKey } from '../src/rotate-keys/add-master-key.ts';
import { startReceiver } from './receiver.ts';
import { newCredentials, startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const lines: string[] = [];
let folder: string;
let keysFile: string;
let service: WebhooksService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-keys-'));
  keysFile = join(folder, 'credentials-keys');
  await writeFile(keysFile, formatKeyRing(keyRingOf(randomBytes(32))));
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  service = await startWebhooks({
    logger,
    // It would open the keys as well, and say once more that one does not open.
    reconciler: false,
    env: { CREDENTIALS_KEYS: `file:${keysFile}`, WEBHOOKS_ALLOW_ADDRESSES: '127.0.0.0/8' },
  });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const find = ({ teamId }: Team, asking: 'catalog' | 'portal' = 'catalog') =>
  service.rpc.call(FindProcessorCredentials, { teamId, service: asking });
const alert = 'sealed secret does not open, it was changed or its master key is missing';
const alerts = (team: Team) => lines.filter(line => line.includes(alert) && line.includes(team.teamId));

it('S26: opens no key that was moved to another team, and says so', async () => {
  const [one, other] = [await service.newTeam(), await service.newTeam()];
  await service.sql(
    `update processor_accounts set sealed_secret_key =
       (select sealed_secret_key from processor_accounts where team_id = ?) where team_id = ?`,
    [other.teamId, one.teamId],
  );
  await expect(find(one)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await find(other)).toMatchObject({ version: 1 });
  expect(alerts(one)).toHaveLength(1);
});

it('S26: accepts no webhook by a signing secret that was altered, and 503 makes Stripe send it again', async () => {
  const team = await service.newTeam();
  expect((await service.send(team, customerUpdated(team.projectId))).status).toBe(200);
  await service.sql(
    `update signing_secrets set sealed_secret = overlay(sealed_secret placing
       case right(left(sealed_secret, 20), 1) when 'A' then 'B' else 'A' end from 20 for 1) where team_id = ?`,
    [team.teamId],
  );
  // The service keeps secrets in memory for some seconds; a new copy has none.
  const copy = await service.startCopy({ run: false });
  const response = await service.send(team, customerUpdated(team.projectId), { to: copy });
  expect(response).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(response.headers['retry-after']).toBe('60');
});

it('S26: takes no signing secret for a key, nor a key for a signing secret', async () => {
  const team = await service.newTeam();
  await service.sql(
    `update processor_accounts a set sealed_secret_key = s.sealed_secret from signing_secrets s
      where s.team_id = a.team_id and a.team_id = ?`,
    [team.teamId],
  );
  await expect(find(team)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('connects a team again whose secrets do not open, and works with the new ones', async () => {
  const team = await service.newTeam();
  for (const statement of [
    'update processor_accounts set sealed_secret_key',
    'update signing_secrets set sealed_secret',
  ])
    await service.sql(`${statement} = 'v1.9.AAAA.AAAA' where team_id = ?`, [team.teamId]);
  await expect(find(team)).rejects.toMatchObject({ kind: 'unavailable' });
  const changed = newCredentials();
  expect((await service.connect(team.teamId, changed)).status).toBe(200);
  expect(await find(team)).toMatchObject({ version: 2 });
  expect((await service.send({ ...team, ...changed }, customerUpdated(team.projectId))).status).toBe(200);
});

it('S39: seals a key for the calling service, and for no other', async () => {
  const team = await service.newTeam();
  const ring = keyRingOf(service.account?.serviceKey ?? Buffer.alloc(0));
  const forPortal = (await find(team, 'portal'))?.sealedSecretKey ?? '';
  const { teamId } = team;
  expect(unseal(ring, { teamId, kind: 'secret-key-for-portal' }, forPortal)).toBe(team.secretKey);
  expect(() => unseal(ring, { teamId, kind: 'secret-key-for-catalog' }, forPortal)).toThrow(/authenticate/);
  expect(() => unseal(openKeyRing(`file:${keysFile}`)(), { teamId, kind: 'secret-key' }, forPortal)).toThrow(
    /authenticate/,
  );
});

it('S26: signs nothing with a secret that was moved to another endpoint, and sends nothing unsigned', async () => {
  const team = await service.newTeam();
  await using receiver = await startReceiver();
  const call = async (path: string, body: object) =>
    (await service.call('POST', path, { of: team, as: service.identity.asUser(team), body })).body;
  const [{ webhookEndpoint: one }, { webhookEndpoint: other }] = [
    await call('/webhook-endpoints', { url: receiver.url }),
    await call('/webhook-endpoints', { url: receiver.url }),
  ];
  await service.sql(
    `update endpoint_secrets set sealed_secret = (select sealed_secret from endpoint_secrets where endpoint_id = ?)
      where endpoint_id = ?`,
    [other.id, one.id],
  );
  const tested = await call(`/webhook-endpoints/${one.id}/test`, {});
  expect(tested.error).toMatchObject({ code: 'unavailable' });
  expect(receiver.received).toEqual([]);
  expect(alerts(team)).not.toEqual([]);
});

it('rotates the master key while it receives webhooks and serves keys', async () => {
  const [team, old] = [await service.newTeam(), await service.newTeam()];
  const works = async () => {
    for (const of of [team, old]) {
      expect(await find(of)).toMatchObject({ version: 1 });
      expect((await service.send(of, customerUpdated(of.projectId))).status).toBe(200);
    }
  };
  await works();
  await using receiver = await startReceiver();
  const as = service.identity.asUser(team);
  const body = { url: receiver.url };
  const endpoint = (await service.call('POST', '/webhook-endpoints', { of: team, as, body })).body;
  const ring = addMasterKey(keysFile);
  expect(ring.current).toBe(2);
  await works();
  expect(await hasOldSecrets(service.em, ring)).toBe(true);
  const [first, second] = await Promise.all([resealSecrets(service.outbox, ring), resealSecrets(service.outbox, ring)]);
  expect(first.resealed + second.resealed).toBeGreaterThanOrEqual(4);
  const recorded = (await service.published(AuditRecorded)).filter(({ data }) => data.action === 'rotateKeys');
  expect(recorded.map(({ teamId }) => teamId)).toEqual(expect.arrayContaining([team.teamId, old.teamId]));
  for (const { data } of recorded)
    expect(data).toMatchObject({ actor: { type: 'operator', id: null }, address: null, changes: [{ to: 2 }] });
  // Each of the two runs records a team once.
  expect(new Set(recorded.map(({ teamId, data }) => `${teamId} ${data.requestId}`)).size).toBe(recorded.length);
  await works();
  const sealedNow = async () =>
    (
      await service.sql(
        `select sealed_secret_key as sealed from processor_accounts where team_id in (?, ?)
          union all select sealed_secret from signing_secrets where team_id in (?, ?)
          union all select sealed_secret from endpoint_secrets where team_id = ?`,
        [team.teamId, old.teamId, team.teamId, old.teamId, team.teamId],
      )
    ).map(({ sealed }) => String(sealed));
  for (const sealed of await sealedNow()) expect(sealed).toMatch(/^v1\.2\./);

  // A new team is sealed with the new key, and the old key may go.
  const newer = await service.newTeam();
  await writeFile(
    keysFile,
    formatKeyRing({ current: 2, keys: new Map([...ring.keys].filter(([version]) => version === 2)) }),
  );
  await waitFor(async () => (await find(newer)) !== null, { what: 'the new team to be found' });
  await works();
  await service.call('POST', `/webhook-endpoints/${endpoint.webhookEndpoint.id}/test`, { of: team, as, body: {} });
  expect(receiver.verified(endpoint.secret)).toHaveLength(1);
  expect((await resealSecrets(service.outbox, ring)).resealed).toBe(0);
  expect((await service.published(AuditRecorded)).filter(({ data }) => data.action === 'rotateKeys')).toEqual(recorded);
});
