import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Caller, ok } from '../system/http.ts';
import { newSignedEvent } from '../system/signed-events.ts';
import { newCustomer, newEmail, newTenant, type Tenant } from '../system/tenant.ts';
import { differInTime } from './compare-times.ts';
import { randomKey } from './random-key.ts';

/** Requests of each kind in one attempt. */
const SAMPLES = 12;
/** For all attempts. */
const ALL_SAMPLES = 3 * SAMPLES;
let tenant: Tenant;
beforeAll(async () => void (tenant = await newTenant()));

const anyone = new Caller({}, inject('gatewayUrl'));
const repeat = <Item>(make: () => Promise<Item>) => Promise.all(Array.from({ length: ALL_SAMPLES }, make));

/** Sends a request that must be refused with this status. */
async function refused(status: number, responding: ReturnType<Caller['get']>): Promise<void> {
  expect((await responding).status).toBe(status);
}

describe('what exists cannot be told from the time a response takes', () => {
  it('S24: a sign-in with a wrong password takes as long as one for an unknown address', async () => {
    const signIn = (email: string) => anyone.post('/api/auth/sign-in/email', { email, password: 'not the password' });
    const differ = await differInTime(
      SAMPLES,
      () => refused(401, signIn(tenant.credentials.email)),
      () => refused(401, signIn(newEmail())),
    );
    expect(differ).toBe(false);
  });

  it('S24: a revoked API key takes as long as one that nobody ever had', async () => {
    const keys = await repeat(async () => {
      const { apiKey, secret } = await ok(
        tenant.user.post(`${tenant.P}/api-keys`, { name: 'x', scopes: ['customers:read'] }),
        201,
      );
      await ok(tenant.user.delete(`${tenant.P}/api-keys/${apiKey.id}`));
      return String(secret);
    });
    const send = (key = '') =>
      refused(401, new Caller({ authorization: `Bearer ${key}` }, inject('gatewayUrl')).get(`${tenant.P}/customers`));
    expect(
      await differInTime(
        SAMPLES,
        index => send(keys[index]),
        () => send(randomKey()),
      ),
    ).toBe(false);
  });

  it('S24: a revoked portal link takes as long as one that never existed', async () => {
    const customerId = await newCustomer(tenant);
    const tokens = await repeat(async () => {
      const { sessionId, token } = await tenant.billing.portal.create({ customerId });
      await tenant.billing.portal.revoke(sessionId);
      return token;
    });
    const visit = (token = '') => refused(404, anyone.get(`/portal/${token}`));
    const invented = () => randomBytes(32).toString('base64url');
    expect(
      await differInTime(
        SAMPLES,
        index => visit(tokens[index]),
        () => visit(invented()),
      ),
    ).toBe(false);
  });

  it('S24: a forged webhook takes as long for a team that exists as for one that does not', async () => {
    const event = newSignedEvent('customer.updated', { id: 'cus_forged', object: 'customer' });
    const unknown = `team_${'0'.repeat(24)}`;
    const post = (teamId: string) =>
      refused(
        400,
        anyone.send('POST', `/api/webhooks/processor/${teamId}`, event, { 'stripe-signature': 't=1,v1=00' }),
      );
    expect(
      await differInTime(
        4 * SAMPLES,
        () => post(tenant.teamId),
        () => post(unknown),
      ),
    ).toBe(false);
  });
});
