import { describe, expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { invite, newEmail, newTenant, newUser } from '../system/tenant.ts';

describe('a squatted address', () => {
  it('S35: whoever registered an address first does not become a member when it is invited, without the secret link', async () => {
    const tenant = await newTenant();
    const victim = newEmail();
    const squatter = await newUser(victim);
    const { invitation } = await ok(
      tenant.user.post(`${tenant.teamPath}/members`, { email: victim, role: 'owner' }),
      202,
    );
    expect((await ok(squatter.user.get('/api/service/teams'))).teams).toEqual([]);
    expect((await squatter.user.get(`${tenant.teamPath}/members`)).status).toBe(403);
    for (const guess of [invitation.id, tenant.teamId, 'A'.repeat(43)])
      expect((await squatter.user.post(`/api/service/invitations/${guess}/accept`)).status).toBe(404);
    expect((await ok(tenant.user.get(`${tenant.teamPath}/members`))).members).toHaveLength(1);
  });

  it('S35: a stolen link makes nobody a member but the user of the invited address, and works once', async () => {
    const tenant = await newTenant();
    const [invited, thief] = [await newUser(), await newUser()];
    const accept = await invite(tenant, invited.credentials.email);
    const refused = await thief.user.post(accept);
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'invitation_not_found' } } });
    await ok(invited.user.post(accept));
    expect((await invited.user.post(accept)).status).toBe(404);
    expect((await thief.user.get(tenant.P)).status).toBe(403);
  });

  it('S35: inviting tells nothing about whether an address is registered', async () => {
    const tenant = await newTenant();
    const { credentials } = await newUser();
    const responses = await Promise.all(
      [credentials.email, newEmail()].map(email =>
        tenant.user.post(`${tenant.teamPath}/members`, { email, role: 'member' }),
      ),
    );
    const shapes = responses.map(({ status, body }) => [status, Object.keys(body.invitation)]);
    expect(shapes[0]).toEqual(shapes[1]);
    expect(shapes[0]?.[0]).toBe(202);
  });
});
