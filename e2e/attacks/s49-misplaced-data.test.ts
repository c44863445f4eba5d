import { randomBytes, randomInt } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { codeOf, createResetLink } from '../system/account.ts';
import { Caller, ok } from '../system/http.ts';
import { markLogs, readLogs, type LogMarks } from '../system/logs.ts';
import { readPids } from '../system/running-system.ts';
import { superuserUrl } from '../system/servers.ts';
import { invite, newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { findInDatabase, markDatabase, type DatabaseMark, type Found } from './database-dump.ts';
import { COLUMNS, CUSTOMER_EVENTS, SUBJECTS } from './declared-places.ts';
import { playMainJob } from './main-job.ts';
import { finderOf } from './spellings.ts';
import { lastMessage, messagesAfter } from './stream-messages.ts';

type Texts = Readonly<Record<string, string>>;

const random = () => randomBytes(10).toString('hex');

let tenant: Tenant;
let secrets: Texts;
let operatorSecrets: Texts;
let personal: Texts;
let logMarks: LogMarks;
let databaseMark: DatabaseMark;
let streamMark: number;
beforeAll(async () => {
  [logMarks, databaseMark, streamMark] = await Promise.all([markLogs(), markDatabase(), lastMessage()]);
  tenant = await newTenant();
  const { user, credentials, secret, secretKey, webhookSecret } = tenant;
  const invited = newEmail();
  const invitation = await invite(tenant, invited);
  const [resetLink, factor] = await Promise.all([
    createResetLink(inject('dataDir'), credentials.email),
    ok(user.post('/api/auth/two-factor/enable', { password: credentials.password })),
  ]);
  await ok(user.post('/api/auth/two-factor/verify-totp', { code: codeOf(factor.totpURI) }));
  const endpointSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const token = random();
  const url = `https://hooks.example/billing?token=${token}`;
  const endpoints = `${tenant.P}/webhook-endpoints`;
  const { webhookEndpoint } = await ok(tenant.api.post(endpoints, { url, secret: endpointSecret }), 201);
  const rotated = await ok(tenant.api.post(`${endpoints}/${webhookEndpoint.id}/rotate-secret`, {}));
  await ok(tenant.api.post(`${endpoints}/${webhookEndpoint.id}/test`, {}));
  const keys = await issueKeys(user, tenant.P);
  // Connected again with one more secret, and with another: a replaced one stays for a while.
  const [additional, newer] = ['a1b2c3d4', 'e5f6a7b8'].map(text => text.repeat(4));
  const credentialsAgain = { secretKey, webhookSecret, additionalWebhookSecrets: [`whsec_${additional}`] };
  await ok(user.post(`${tenant.teamPath}/processor/connect`, credentialsAgain));
  await tenant.connectWith(`whsec_${newer}`);
  const customer = {
    email: `${random()}@example.com`,
    name: `Name${random()}`,
    externalId: `ext-${random()}`,
    metadata: { plan: `meta${random()}` },
  };
  const billed = {
    taxId: `DE${randomInt(100_000_000, 1_000_000_000)}`,
    line1: `Street${random()}`,
    purchaseOrder: `order${random()}`,
  };
  const { token: portalToken } = await playMainJob(tenant, customer, billed);
  secrets = {
    // Without their prefixes, which are no secrets.
    'Stripe key': secretKey.replace('sk_test_', ''),
    'signing secret': webhookSecret.replace('whsec_', ''),
    'one more signing secret': additional ?? '',
    'newer signing secret': newer ?? '',
    'API key': secret,
    ...keys,
    'portal token': portalToken,
    'endpoint’s secret': endpointSecret,
    'rotated endpoint’s secret': rotated.secret,
    password: credentials.password,
    // As stored, without the signature that only the gateway can make, it opens nothing.
    'session cookie': decodeURIComponent(user.cookie.slice(user.cookie.indexOf('=') + 1)),
    'invitation token': /invitations\/(.+)\/accept/.exec(invitation)?.[1] ?? '',
    'reset token': resetLink.split('token=')[1] ?? '',
    'TOTP secret': new URL(factor.totpURI).searchParams.get('secret') ?? '',
    'first backup code': factor.backupCodes[0],
    'last backup code': factor.backupCodes.at(-1),
  };
  personal = {
    'e-mail': customer.email,
    name: customer.name,
    'external id': customer.externalId,
    metadata: customer.metadata.plan,
    'tax id': billed.taxId,
    street: billed.line1,
    'order number': billed.purchaseOrder,
    'token in a URL': token,
    'invited address': invited,
    'member’s address': credentials.email,
  };
  operatorSecrets = await readOperatorSecrets();
});

/** Issues API keys, of which one is rotated, one revoked, and one that of a request that may be repeated. */
async function issueKeys(user: Caller, P: string): Promise<Texts> {
  const request = { name: 'x', scopes: ['products:read'] };
  const issue = (headers = {}) => ok(user.post(`${P}/api-keys`, request, headers), 201);
  const [rotated, revoked, repeatable] = [await issue(), await issue(), await issue({ 'idempotency-key': newEmail() })];
  const { secret: successor } = await ok(user.post(`${P}/api-keys/${rotated.apiKey.id}/rotate`, {}), 201);
  await ok(user.delete(`${P}/api-keys/${revoked.apiKey.id}`));
  return {
    'rotated API key': rotated.secret,
    'its successor': successor,
    'revoked API key': revoked.secret,
    'API key of a repeatable request': repeatable.secret,
  };
}

/** Every secret of the system itself: passwords and keys of its processes. */
async function readOperatorSecrets(): Promise<Texts> {
  const [text, masterKeys] = await Promise.all(
    ['secrets.json', 'credentials-keys'].map(file => readFile(join(inject('dataDir'), file), 'utf8')),
  );
  const { identityPublicKey: _, ...all } = JSON.parse(text ?? '') as Record<string, string | Record<string, string>>;
  const named = Object.entries(all).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[name, value]]
      : Object.entries(value).map(([service, of]) => [`${name} ${service}`, of]),
  );
  const { supervisor } = await readPids(inject('dataDir'));
  return {
    ...Object.fromEntries(named),
    'master keys': masterKeys?.split(':')[1]?.trim() ?? '',
    'supervisor’s token': supervisor.token,
  };
}

const matches = (column: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`).test(column);

describe('secrets and personal data', () => {
  it('S49: every planted text is long enough to be found, and is found where it belongs', async () => {
    for (const [what, text] of Object.entries({ ...secrets, ...personal, ...operatorSecrets }))
      expect({ what, isLong: text.length > 10 }).toEqual({ what, isLong: true });
    const found = await findInDatabase(personal, databaseMark);
    expect(new Set(found.map(({ what }) => what))).toEqual(new Set(Object.keys(personal)));
    const subjects = (await messagesAfter(streamMark)).filter(({ text }) => text.includes(personal['e-mail'] ?? '-'));
    expect(subjects.some(({ subject }) => CUSTOMER_EVENTS.test(subject))).toBe(true);
  });

  it('S49: no log of any process has a secret, nor what is known of a person', async () => {
    const find = finderOf({ ...secrets, ...personal, ...operatorSecrets });
    const text = (await readLogs(logMarks)).map(({ file, line }) => `${file}: ${line}`).join('\n');
    expect(text).toContain(tenant.projectId);
    expect(find(text)).toEqual([]);
  });

  it('S49: no message on the event bus has a secret; a person’s data is in the customer’s events and Stripe’s objects alone', async () => {
    const find = finderOf({ ...secrets, ...personal, ...operatorSecrets });
    const misplaced = (await messagesAfter(streamMark)).flatMap(({ subject, text }) =>
      find(text)
        .filter(what => !(SUBJECTS[what] ?? []).some(pattern => pattern.test(subject)))
        .map(what => `${what} in ${subject}`),
    );
    expect(misplaced).toEqual([]);
  });

  it('S26, S27, S49: no column of any table has a secret in clear; a person’s data is in the declared columns alone', async () => {
    const found = await findInDatabase({ ...secrets, ...personal, ...operatorSecrets }, databaseMark);
    const isDeclared = ({ what, column }: Found) => (COLUMNS[what] ?? []).some(pattern => matches(column, pattern));
    expect(found.filter(one => !isDeclared(one))).toEqual([]);
  });

  it('S49: a stored session id without its signature opens nothing', async () => {
    const [name = '', value = ''] = tenant.user.cookie.split('=');
    const id = decodeURIComponent(value).split('.')[0] ?? '';
    expect((await findInDatabase({ id }, databaseMark)).map(({ column }) => column)).toEqual(['auth.session.token']);
    for (const cookie of [id, `${id}.`, `${id}.${Buffer.alloc(32).toString('base64')}`])
      expect(
        (await new Caller({ cookie: `${name}=${encodeURIComponent(cookie)}` }).get('/api/service/teams')).status,
      ).toBe(401);
  });

  it('S49: errors about a person or with a secret repeat neither of them', async () => {
    const { api, user, P, teamPath, secret, secretKey, webhookSecret } = tenant;
    const { 'e-mail': email, name, 'external id': externalId, metadata } = personal;
    const errors = await Promise.all([
      api.post(`${P}/customers`, { email, name: [name], externalId: { externalId }, metadata: [metadata] }),
      api.post(`${P}/customers`, { email: newEmail(), name, externalId }),
      api.post(`${P}/customers`, { email: `${email} ${name}` }),
      api.get(`${P}/customers/${email}`),
      api.get(`${P}/customers?limit=${email}`),
      api.post(`${P}/portal`, { customerId: email }),
      api.post(`${P}/referrals/apply`, { code: name, refereeCustomerId: externalId }),
      user.post(`${teamPath}/members`, { email: personal['invited address'], role: secret }),
      user.post(`${teamPath}/processor/connect`, { secretKey: `${secretKey} `, webhookSecret: [webhookSecret] }),
      new Caller().post('/api/auth/sign-in/email', {
        email: personal['member’s address'],
        password: secrets['password'] + 'x',
      }),
      new Caller({ authorization: `Bearer ${secret}x` }).get(`${P}/customers`),
      new Caller().get(`/portal/${secrets['portal token']}x`),
    ]);
    const find = finderOf({ ...secrets, ...personal });
    for (const [index, { status, body, headers }] of errors.entries()) {
      expect(status, String(index)).toBeGreaterThanOrEqual(400);
      expect({ index, found: find(JSON.stringify([body, ...headers])) }).toEqual({ index, found: [] });
    }
    expect(find((await readLogs(logMarks)).map(({ line }) => line).join('\n'))).toEqual([]);
  });

  it('S49: a write that the database refuses is logged without the row', async () => {
    const [refused, email] = [`Refused${random()}`, newEmail()];
    const superuser = new Client({ connectionString: await superuserUrl() });
    await superuser.connect();
    try {
      await superuser.query(
        `alter table customers.customers add constraint planted check (name <> '${refused}') not valid`,
      );
      const created = { email, name: refused, metadata: { note: `${refused}-note` } };
      const { status, body, headers } = await tenant.api.post(`${tenant.P}/customers`, created);
      expect(status).toBe(500);
      expect(JSON.stringify(body)).not.toContain(refused);
      const requestId = headers.get('x-request-id') ?? '-';
      const failed = (line: string) => line.includes(requestId) && line.includes('request failed');
      // The response may arrive before the log does.
      const lines = await waitFor(
        async () => {
          const all = (await readLogs(logMarks)).map(({ line }) => line);
          return all.some(failed) ? all : undefined;
        },
        { what: 'the failure to be logged' },
      );
      expect(lines.filter(failed).join('\n')).toMatch(/"code":"23514".*"constraint":"planted"/);
      expect(lines.filter(line => line.includes(refused) || line.includes(email))).toEqual([]);
    } finally {
      await superuser.query('alter table customers.customers drop constraint if exists planted');
      await superuser.end();
    }
  });

  it('S49: no command line has a secret of the system, and its files are their owner’s alone', async () => {
    const find = finderOf(operatorSecrets);
    const { parts } = await readPids(inject('dataDir'));
    const pids = Object.values(parts).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
    const commands = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8')));
    expect(commands.length).toBeGreaterThan(9);
    expect(find(commands.join('\n'))).toEqual([]);
    for (const file of ['', 'secrets.json', 'credentials-keys', 'pids.json', 'nats/nats-server.conf']) {
      const { mode } = await stat(join(inject('dataDir'), file));
      expect({ file, others: mode & 0o077 }).toEqual({ file, others: 0 });
    }
  });
});
