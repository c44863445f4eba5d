import { ProjectId, TeamId } from '@billing/contracts/ids';
import { allOperations } from '@billing/contracts/operations/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { newSiblingProject, newTenant, type Tenant } from '../system/tenant.ts';
import { callerOf, requestTo, seenBy } from './requests.ts';
import { newResources, unknownIds, type Resources } from './resources.ts';

const operations = allOperations.filter(
  ({ access, path }) => path.includes(':teamId') && access.kind !== 'signature' && access.kind !== 'portal-token',
);

let own: Tenant;
let other: Tenant;
let existing: Resources;
beforeAll(async () => {
  [own, other] = await Promise.all([newTenant(), newTenant()]);
  existing = await newResources(other);
});

/** Names of a team and a project that do not exist. */
const nowhere = () => ({ teamId: TeamId.create(), projectId: ProjectId.create() });

describe('credentials of one team', () => {
  it('S2: a key or session on any path of another team gets one and the same 403, whether team, project and resource exist or not', async () => {
    const absent = unknownIds();
    await Promise.all(
      operations.flatMap(operation =>
        [own.api, own.user].map(async caller => {
          const [found, ...unknown] = await Promise.all([
            seenBy(caller, requestTo(operation, other, existing)),
            seenBy(caller, requestTo(operation, other, absent)),
            seenBy(caller, requestTo(operation, nowhere(), existing)),
            seenBy(caller, requestTo(operation, { ...nowhere(), teamId: other.teamId }, absent)),
          ]);
          expect(found, operation.id).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
          expect(found?.body, operation.id).not.toHaveProperty('error.details');
          for (const seen of unknown) expect(seen, operation.id).toEqual(found);
        }),
      ),
    );
    // Nothing was deleted or revoked.
    const untouched = allOperations.filter(({ id }) => ['getSubscription', 'getReferralCode'].includes(id));
    for (const operation of untouched)
      expect(await seenBy(other.api, requestTo(operation, other, existing))).toMatchObject({ status: 200 });
  });

  it('S2: a key on another project of its own team gets the same 403', async () => {
    const sibling = await newSiblingProject(own);
    const [found, absent] = await Promise.all(
      [sibling, { ...sibling, projectId: nowhere().projectId }].map(at =>
        Promise.all(
          operations
            .filter(({ path }) => path.includes(':projectId'))
            .map(operation => seenBy(own.api, requestTo(operation, at, existing))),
        ),
      ),
    );
    expect(new Set(found?.map(({ status }) => status))).toEqual(new Set([403]));
    expect(absent).toEqual(found);
  });

  it('S2: a session that names another team’s project under its own team gets the 404 of a project that does not exist', async () => {
    const inProject = operations.filter(({ path }) => path.includes(':projectId'));
    const requests = (projectId: string) =>
      Promise.all(
        inProject.map(operation => seenBy(own.user, requestTo(operation, { teamId: own.teamId, projectId }, existing))),
      );
    const [foreign, absent] = await Promise.all([requests(other.projectId), requests(nowhere().projectId)]);
    for (const seen of foreign)
      expect(seen).toMatchObject({ status: 404, body: { error: { code: 'project_not_found' } } });
    expect(absent).toEqual(foreign);
  });

  it('S2: a key or session next to a bad one of the other kind opens nothing more', async () => {
    const operation = allOperations.find(({ id }) => id === 'listCustomers');
    if (!operation) throw new Error('Customers can be listed.');
    const bad = { authorization: `Bearer ${own.secret.slice(0, -1)}` };
    const response = await other.user.send('GET', requestTo(operation, other).path, undefined, bad);
    expect(response.status).toBe(401);
    const withOtherCookie = { cookie: other.user.cookie };
    const path = requestTo(operation, other).path;
    expect((await own.api.send('GET', path, undefined, withOtherCookie)).status).toBe(403);
    expect((await seenBy(callerOf(operation, other), requestTo(operation, other))).status).toBe(200);
  });
});
