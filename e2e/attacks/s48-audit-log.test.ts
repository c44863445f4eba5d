import type { AuditEntry } from '@billing/contracts/resources/audit-entry';
import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { Pool } from 'pg';
import { beforeAll, expect, inject, it } from 'vitest';
import { ok, type ApiResponse } from '../system/http.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';

// That each write leaves one entry, and reading none, is shown for every operation in `test/every-operation.test.ts`.

let tenant: Tenant;
let stranger: Tenant;
beforeAll(async () => {
  [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
});

const readLog = async (): Promise<readonly AuditEntry[]> =>
  (await ok(tenant.user.get(`${tenant.teamPath}/audit-log?limit=100`))).entries;
const requestIdOf = ({ headers }: ApiResponse) => headers.get('x-request-id') ?? '';

it('S48: a refused attempt on keys, members or the account leaves an entry, and a stranger’s leaves none', async () => {
  const { teamPath, P, user, api } = tenant;
  const attempts = [
    await user.post(`${teamPath}/processor/connect`, { secretKey: 'sk_test_invalid_of_a_thief' }),
    await user.send('DELETE', `${teamPath}/processor?purge=true`, { confirm: 'Not its name' }),
    await user.delete(`${teamPath}/members/${tenant.userId}`),
    await api.post(`${P}/api-keys`, { name: 'x', scopes: [] }),
  ];
  const byStranger = await stranger.user.delete(`${teamPath}/members/${tenant.userId}`);
  expect([...attempts, byStranger].map(({ status }) => status)).toEqual([400, 422, 409, 403, 403]);
  const requestIds = new Set([...attempts, byStranger].map(requestIdOf));
  const entriesOfThem = async () => (await readLog()).filter(({ requestId }) => requestIds.has(requestId ?? ''));
  const areAll = async () => (await entriesOfThem()).length >= attempts.length;
  await waitFor(areAll, { what: 'every refused attempt to be in the log', intervalMs: 50 });
  expect((await entriesOfThem()).toReversed()).toMatchObject(
    attempts.map(attempt => ({ requestId: requestIdOf(attempt), outcome: 'refused', changes: [] })),
  );
});

it('S48: nobody changes or deletes an entry, neither over HTTP nor with the rights of the service that has them', async () => {
  const log = `${tenant.teamPath}/audit-log`;
  const before = await readLog();
  for (const caller of [tenant.user, tenant.api])
    for (const path of [log, `${log}/${before[0]?.id}`])
      for (const method of ['PUT', 'PATCH', 'POST', 'DELETE'])
        expect((await caller.send(method, path, {})).status).toBe(404);
  const gateway = new Pool({ connectionString: findServers(inject('dataDir'), 'gateway').databaseUrl });
  try {
    for (const change of [
      `update gateway.audit_entries set outcome = 'refused' where team_id = '${tenant.teamId}'`,
      `delete from gateway.audit_entries where team_id = '${tenant.teamId}'`,
      'truncate gateway.audit_entries',
    ])
      await expect(gateway.query(change)).rejects.toThrow('permission denied');
  } finally {
    await gateway.end();
  }
  const known = new Set(before.map(({ id }) => id));
  expect((await readLog()).filter(({ id }) => known.has(id))).toEqual(before);
});
