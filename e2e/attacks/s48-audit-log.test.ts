import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import type { AuditEntry } from '@billing/contracts/resources/audit-entry';
import { findServers } from '@billing/local-system/running-system';
import { waitFor } from '@billing/testing/wait-for';
import { Pool } from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { ok, type ApiResponse } from '../system/http.ts';
import { newTenant, newUser } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { requestTo } from './requests.ts';
import { newResources } from './resources.ts';
import { EXAMPLE_WRITES } from './example-writes.ts';
import type { Prepared } from './write.ts';

const isRead = ({ id, method }: Operation) => method === 'GET' || id.startsWith('preview');
/** What a processor sends is signed by it, and recorded as a webhook event. */
const writes = allOperations.filter(operation => !isRead(operation) && operation.access.kind !== 'signature');

let prepared: Prepared;
beforeAll(async () => {
  const [tenant, other, guest] = await Promise.all([newTenant(), newTenant(), newUser()]);
  prepared = { tenant, other, guest, resources: await newResources(tenant) };
});

const logOf = async (teamPath: string): Promise<readonly AuditEntry[]> => {
  const { tenant, other } = prepared;
  const owner = teamPath === other.teamPath ? other.user : tenant.user;
  const all: AuditEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { entries, pagination } = await ok(owner.get(`${teamPath}/audit-log?limit=100${cursor}`));
    all.push(...entries);
    cursor = pagination.nextCursor === null ? null : `&cursor=${pagination.nextCursor}`;
  }
  return all;
};
/** A write that was made: what its entry must contain, and in whose log. */
interface Sent {
  readonly entry: Pick<AuditEntry, 'action' | 'actor' | 'target' | 'requestId'> & object;
  readonly teamPath: string;
}

const requestIdOf = ({ headers }: ApiResponse) => headers.get('x-request-id') ?? '';

/** The tenant's entries of these requests, newest first; those of earlier ones may still be on their way into the log. */
async function entriesOf(responses: readonly ApiResponse[]): Promise<readonly AuditEntry[]> {
  const requestIds = new Set(responses.map(requestIdOf));
  return (await logOf(prepared.tenant.teamPath)).filter(({ requestId }) => requestIds.has(requestId ?? ''));
}

describe('a write', () => {
  it('S48: a write by any operation leaves exactly one entry, which says who changed what by which request', async () => {
    expect(writes.map(({ id }) => id).toSorted()).toEqual(Object.keys(EXAMPLE_WRITES).toSorted());
    const { tenant, guest, resources } = prepared;
    const [key] = (await ok(tenant.user.get(`${tenant.P}/api-keys`))).apiKeys.filter(
      ({ name }: { readonly name: string }) => name === 'backend',
    );
    const sent: Sent[] = [];
    for (const [action, prepare] of Object.entries(EXAMPLE_WRITES)) {
      const { by, send, target, teamPath, hasNoProject } = await prepare(prepared);
      const response = await send();
      if (response.status >= 300) throw new Error(`${action}: ${response.status} ${JSON.stringify(response.body)}`);
      const actors: Readonly<Record<typeof by, AuditEntry['actor']>> = {
        user: {
          type: 'user',
          id: teamPath?.(response.body) === prepared.other.teamPath ? prepared.other.userId : tenant.userId,
        },
        guest: { type: 'user', id: guest.userId },
        key: { type: 'key', id: key.id },
        customer: { type: 'customer', id: resources.customerId },
      };
      const entry = {
        action,
        actor: actors[by],
        target: target(response.body),
        requestId: requestIdOf(response),
        outcome: 'succeeded',
        ...(!hasNoProject && { projectId: tenant.projectId }),
      };
      sent.push({ entry, teamPath: teamPath?.(response.body) ?? tenant.teamPath });
    }

    const log = async () => {
      const paths = [...new Set(sent.map(({ teamPath }) => teamPath))];
      return (await Promise.all(paths.map(logOf))).flat();
    };
    const known = async () => new Set((await log()).map(({ requestId }) => requestId));
    const areAll = async () => {
      const requestIds = await known();
      return sent.every(({ entry }) => requestIds.has(entry.requestId));
    };
    await waitFor(areAll, { what: 'every write to be in the log', intervalMs: 50 }).catch(() => undefined);
    const entries = await log();
    for (const { entry } of sent) {
      const found = entries.filter(({ requestId }) => requestId === entry.requestId);
      expect(found, entry.action).toMatchObject([entry]);
      expect(found[0]?.address).toMatch(/127\.0\.0\.1$/);
    }
    // Neither those of the preparations: one request, one entry.
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(entries.length);
  });

  it('S48: no entry contains a secret, an e-mail address or a token', async () => {
    const { tenant, other, resources } = prepared;
    const text = JSON.stringify([await logOf(tenant.teamPath), await logOf(other.teamPath)]);
    expect(text).toContain('connectProcessor');
    expect(text).toContain('https://hooks.example/new?…');
    expect(text).not.toMatch(/@example\.com|bil_test_|whsec_|sk_test_|token=planted/);
    for (const secret of [tenant.secret, tenant.webhookSecret, resources.token]) expect(text).not.toContain(secret);
  });

  it('S48: reading leaves no entry', async () => {
    const { tenant, resources } = prepared;
    const reads = allOperations.filter(operation => isRead(operation) && operation.access.kind !== 'portal-token');
    const responses = await mapConcurrently(reads, async operation => {
      const { method, path, body } = requestTo(operation, tenant, resources);
      const caller = operation.access.kind === 'project' ? tenant.api : tenant.user;
      return caller.send(method, path, body);
    });
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter(status => status === 200).length).toBeGreaterThan(reads.length / 2);
    expect(statuses.filter(status => ![200, 404].includes(status))).toEqual([]);
    expect(await entriesOf(responses)).toEqual([]);
  });
});

describe('an entry', () => {
  it('S48: a refused attempt on keys, members or the account leaves one, and a stranger’s leaves none', async () => {
    const { tenant, other } = prepared;
    const { teamPath, P, user, api } = tenant;
    const attempts = [
      await user.post(`${teamPath}/processor/connect`, { secretKey: 'sk_test_invalid_of_a_thief' }),
      await user.send('DELETE', `${teamPath}/processor?purge=true`, { confirm: 'Not its name' }),
      await user.delete(`${teamPath}/members/${tenant.userId}`),
      await api.post(`${P}/api-keys`, { name: 'x', scopes: [] }),
    ];
    const byStranger = await other.user.delete(`${teamPath}/members/${tenant.userId}`);
    expect([...attempts, byStranger].map(({ status }) => status)).toEqual([400, 422, 409, 403, 403]);
    const areAll = async () => (await entriesOf(attempts)).length >= attempts.length;
    await waitFor(areAll, { what: 'every refused attempt to be in the log', intervalMs: 50 });
    const entries = await entriesOf([...attempts, byStranger]);
    expect(entries.toReversed()).toMatchObject(
      attempts.map(attempt => ({ requestId: requestIdOf(attempt), outcome: 'refused', changes: [] })),
    );
  });

  it('S48: nobody changes or deletes an entry, neither over HTTP nor with the rights of the service that has them', async () => {
    const { tenant } = prepared;
    const log = `${tenant.teamPath}/audit-log`;
    const before = await logOf(tenant.teamPath);
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
    expect((await logOf(tenant.teamPath)).filter(({ id }) => known.has(id))).toEqual(before);
  });
});
