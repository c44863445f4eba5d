import { describe, expect, it } from 'vitest';
import { ok } from '../system/http.ts';
import { ageSessions } from '../system/sessions.ts';
import { addMember, newEmail, newTenant, newUser } from '../system/tenant.ts';

const QUARTER_HOUR = 15 * 60;

describe('a taken session', () => {
  it('S40: a session whose password was checked over 15 minutes ago can not swap, drop or purge the processor account, make a key, invite anyone or remove an owner', async () => {
    const tenant = await newTenant();
    const { user, userId, teamPath, P } = tenant;
    const other = await newUser();
    await addMember(tenant, other, 'owner');
    const before = await ok(user.get(`${teamPath}/members`));
    await ageSessions(userId, QUARTER_HOUR);
    const responses = [
      await user.post(`${teamPath}/processor/connect`, { secretKey: 'sk_test_of_a_thief' }),
      await user.delete(`${teamPath}/processor`),
      await user.send('DELETE', `${teamPath}/processor?purge=true`, { confirm: 'Acme' }),
      await user.post(`${teamPath}/members`, { email: newEmail(), role: 'owner' }),
      await user.post(`${teamPath}/members`, { email: newEmail(), role: 'member' }),
      await user.post(`${P}/api-keys`, { name: 'of a thief', scopes: ['customers:read'] }),
      await user.delete(`${teamPath}/members/${other.userId}`),
    ];
    for (const response of responses)
      expect(response).toMatchObject({ status: 403, body: { error: { code: 'reauthentication_required' } } });
    expect(await ok(user.get(`${teamPath}/members`))).toEqual(before);
    expect((await ok(user.get(`${teamPath}/invitations`))).invitations).toEqual([]);
    // The account is still connected.
    await ok(tenant.api.post(`${P}/customers`, { email: newEmail() }), 201);
  });

  it('S40: only the password makes it fresh again, not using, listing or renewing the session', async () => {
    const { user, userId, teamPath, credentials } = await newTenant();
    await ageSessions(userId, QUARTER_HOUR);
    await ok(user.get('/api/auth/get-session'));
    await ok(user.get('/api/auth/list-sessions'));
    expect((await user.post('/api/auth/verify-password', { password: 'a guess of the thief' })).status).toBe(400);
    const inviteOwner = () => user.post(`${teamPath}/members`, { email: newEmail(), role: 'owner' });
    expect((await inviteOwner()).status).toBe(403);
    await ok(user.post('/api/auth/verify-password', { password: credentials.password }));
    expect((await inviteOwner()).status).toBe(202);
  });

  it('S40: a thief can not change the password, which would lock the owner out, without the old one', async () => {
    const { user, credentials } = await newTenant();
    const change = { currentPassword: 'a guess of the thief', newPassword: 'a staple holds the horse' };
    expect((await user.post('/api/auth/change-password', change)).status).toBe(400);
    await ok(user.post('/api/auth/sign-in/email', credentials));
  });
});
