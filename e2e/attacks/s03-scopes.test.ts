import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { SCOPES, type Scope } from '@billing/contracts/scopes';
import { beforeAll, describe, expect, it } from 'vitest';
import { Caller, ok, type ApiResponse } from '../system/http.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';
import { mapConcurrently } from '../system/map-concurrently.ts';
import { isDeclared, requestTo } from './requests.ts';

let tenant: Tenant;
/** For each scope a key that has it alone. */
let keys: ReadonlyMap<Scope, Caller>;
beforeAll(async () => {
  tenant = await newTenant();
  keys = new Map(
    await Promise.all(
      SCOPES.map(async scope => {
        const { secret } = await ok(tenant.user.post(`${tenant.P}/api-keys`, { name: 'x', scopes: [scope] }), 201);
        return [scope, new Caller({ authorization: `Bearer ${secret}` })] as const;
      }),
    ),
  );
});

/** Sends a request that changes nothing: its ids name nothing, and its body has a field too many. */
function probe(caller: Caller, operation: Operation): Promise<ApiResponse> {
  const { method, path, body } = requestTo(operation, tenant);
  return caller.send(method, path, body === undefined ? undefined : { ...(body as object), unknown: true });
}

/** What a probe gets once it is authorized: a list, or a word about its ids and body. */
const AUTHORIZED = [200, 400, 404];

describe('a key with one scope', () => {
  it('S3: a key with one scope is refused by every operation of the others, naming the scope, and accepted by its own', async () => {
    const table = allOperations.flatMap(operation => {
      const { access } = operation;
      return access.kind === 'project'
        ? [...keys].map(([scope, caller]) => ({ operation, access, scope, caller }))
        : [];
    });
    expect(table.length).toBeGreaterThan(SCOPES.length * 20);
    await mapConcurrently(table, async ({ operation, access, scope, caller }) => {
      const { status, body } = await probe(caller, operation);
      const row = `${operation.id} with ${scope}`;
      const { requestId: _, message: _message, ...error } = body.error ?? {};
      const refused = {
        status: 403,
        error: { code: 'forbidden', details: { requiredScope: access.scopes.find(required => required !== scope) } },
      };
      const seen = AUTHORIZED.includes(status) ? 'authorized' : { status, error };
      expect({ row, seen }).toEqual({
        row,
        seen: access.scopes.every(required => required === scope) ? 'authorized' : refused,
      });
    });
  });

  it('S3: a key with every scope is refused where only a session may: teams, members, keys, connections, replays', async () => {
    const operations = allOperations.filter(({ access }) =>
      ['session', 'team', 'project-session'].includes(access.kind),
    );
    expect(operations.length).toBeGreaterThan(15);
    for (const { status, body } of await Promise.all(operations.map(operation => probe(tenant.api, operation)))) {
      expect({ status, error: body.error }).toMatchObject({ status: 403, error: { code: 'forbidden' } });
      expect(body.error).not.toHaveProperty('details');
    }
  });

  it('S3: applying a referral needs referrals:read alone, checkout and portal links subscriptions:write, prices products:write', () => {
    const scopeOf = (id: string): unknown => allOperations.find(operation => operation.id === id)?.access;
    expect(scopeOf('applyReferral')).toEqual({ kind: 'project', scopes: ['referrals:read'] });
    expect(scopeOf('createCheckout')).toEqual({ kind: 'project', scopes: ['subscriptions:write'] });
    expect(scopeOf('createPortalSession')).toEqual({ kind: 'project', scopes: ['subscriptions:write'] });
    expect(scopeOf('createPrice')).toEqual({ kind: 'project', scopes: ['products:write'] });
  });

  it('S3: an undeclared method or path is 404 for the strongest credential', async () => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
    const undeclared = allOperations.flatMap(operation =>
      methods
        .filter(method => !isDeclared(method, operation.path))
        .map(method => ({ ...operation, method, path: operation.path })),
    );
    const responses = await Promise.all(
      undeclared.map(async operation => {
        const { path } = requestTo(operation, tenant);
        const { status, body } = await tenant.user.send(operation.method, path.split('?', 1)[0] ?? '');
        return { row: `${operation.method} ${operation.path}`, status, code: body.error?.code as unknown };
      }),
    );
    for (const { row, ...seen } of responses) expect(seen, row).toEqual({ status: 404, code: 'route_not_found' });
  });
});
