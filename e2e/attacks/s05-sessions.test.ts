import { describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { ageSessions } from '../system/sessions.ts';
import { newUser } from '../system/tenant.ts';

const TEAMS = '/api/service/teams';
const DAY = 86_400;
/** The name of the session's cookie; it names the port too. */
const cookieName = () => `billing-${new URL(inject('gatewayUrl')).port}.session_token`;
const withCookie = (cookie: string) => new Caller({ cookie, origin: inject('gatewayUrl') });

describe('sessions', () => {
  it('S5: a session id that was planted in the browser before the sign-in is never adopted', async () => {
    const { credentials } = await newUser();
    const planted = `${cookieName()}=planted.before-the-sign-in`;
    const response = await withCookie(planted).post('/api/auth/sign-in/email', credentials);
    expect(response.status).toBe(200);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^billing-\d+\.session_token=.+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain('planted');
    expect((await withCookie(planted).get(TEAMS)).status).toBe(401);
  });

  it('S5: each sign-in opens a session of its own, and signing out or ending it makes its cookie worthless', async () => {
    const { user, credentials } = await newUser();
    const copied = user.cookie;
    await ok(user.post('/api/auth/sign-in/email', credentials));
    expect(user.cookie).not.toBe(copied);
    expect((await withCookie(copied).get(TEAMS)).status).toBe(200);
    await ok(user.post('/api/auth/revoke-other-sessions'));
    expect((await withCookie(copied).get(TEAMS)).status).toBe(401);
    const own = user.cookie;
    await ok(user.post('/api/auth/sign-out'));
    expect((await withCookie(own).get(TEAMS)).status).toBe(401);
  });

  it('S5: a session that was not used for 7 days, or that began 30 days ago, has ended', async () => {
    const { user, userId } = await newUser();
    for (let days = 0; days < 24; days += 6) {
      await ageSessions(userId, 6 * DAY);
      await ok(user.get(TEAMS));
    }
    // Used all the time, it still ends on the thirtieth day.
    await ageSessions(userId, 6 * DAY);
    expect((await user.get(TEAMS)).status).toBe(401);

    const idle = await newUser();
    await ageSessions(idle.userId, 7 * DAY);
    expect((await idle.user.get(TEAMS)).status).toBe(401);
    expect((await idle.user.get('/api/auth/list-sessions')).status).toBe(401);
  });

  it('S5: a session id in the query, a header or without its signature gets 401', async () => {
    const { user } = await newUser();
    const value = user.cookie.split('=')[1] ?? '';
    const [token = ''] = decodeURIComponent(value).split('.');
    const anonymous = new Caller();
    for (const path of [`${TEAMS}?session=${value}`, `${TEAMS}?${cookieName()}=${value}`])
      expect((await anonymous.get(path)).status).toBe(401);
    expect((await new Caller({ authorization: `Bearer ${token}` }).get(TEAMS)).status).toBe(401);
    expect((await withCookie(`${cookieName()}=${token}`).get(TEAMS)).status).toBe(401);
    expect((await withCookie(`${cookieName()}=${token}.${'A'.repeat(43)}%3D`).get(TEAMS)).status).toBe(401);
  });
});
