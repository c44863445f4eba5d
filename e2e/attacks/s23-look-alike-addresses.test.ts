import { describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { newEmail, newTenant, newUser } from '../system/tenant.ts';

/** Spellings that are the address itself. */
const SAME = [
  (email: string) => email.toUpperCase(),
  (email: string) => `  ${email}\t`,
  (email: string) => email.replace('example', 'ExAmPlE'),
];
/** Spellings that become the address by some normalization, or look like it but are none. */
const LOOK_ALIKES = [
  (email: string) => `${email}.`,
  (email: string) => `${email}\u00a0`,
  (email: string) => `${email}\u0000`,
  (email: string) => email.replace('@', '\u0000@'),
  (email: string) => email.replace('@', '\uff20'),
  (email: string) => email.replace('k', '\u212a'),
  (email: string) => email.replace('e', '\uff45'),
  (email: string) => email.replace('k', 'k\u200b'),
  (email: string) => email.replace('example', 'ex\u00adample'),
  (email: string) => `${'a'.repeat(10_000)}${email}`,
  () => `${'a'.repeat(512)}@example.com`,
];
const newAddress = () => newEmail().replace('@', 'ok@');

describe('look-alike addresses', () => {
  it('S23: another spelling of a registered address signs up no second user, and a look-alike gets 400', async () => {
    const { credentials } = await newUser(newAddress());
    const visitor = new Caller({ origin: inject('gatewayUrl') });
    const signUp = (email: string) =>
      visitor.post('/api/auth/sign-up/email', { name: 'Eve', email, password: 'a staple holds the horse' });
    for (const spell of SAME) expect((await signUp(spell(credentials.email))).status).toBe(422);
    for (const spell of LOOK_ALIKES) expect((await signUp(spell(credentials.email))).status).toBe(400);
    await ok(visitor.post('/api/auth/sign-in/email', { ...credentials, email: ` ${credentials.email.toUpperCase()}` }));
  });

  it('S23: another spelling invites the same address once, and a look-alike is not invited', async () => {
    const { user, teamPath } = await newTenant();
    const email = newAddress();
    const invite = (address: string) => user.post(`${teamPath}/members`, { email: address, role: 'member' });
    for (const spell of SAME) expect((await invite(spell(email))).body.invitation.email).toBe(email);
    for (const spell of LOOK_ALIKES) expect((await invite(spell(email))).status).toBe(400);
    expect((await ok(user.get(`${teamPath}/invitations`))).invitations).toHaveLength(1);
  });

  it('S23: another spelling of a customer’s address is taken, and a look-alike gets 400', async () => {
    const { api, P } = await newTenant();
    const email = newAddress();
    const { customer } = await ok(api.post(`${P}/customers`, { email }), 201);
    for (const spell of SAME) expect((await api.post(`${P}/customers`, { email: spell(email) })).status).toBe(409);
    for (const spell of LOOK_ALIKES) {
      expect((await api.post(`${P}/customers`, { email: spell(email) })).status).toBe(400);
      expect((await api.patch(`${P}/customers/${customer.id}`, { email: spell(email) })).status).toBe(400);
    }
    expect((await ok(api.get(`${P}/customers`))).customers).toHaveLength(1);
  });
});
