import { randomBytes } from 'node:crypto';
import { startBenchSystem } from '../load/bench-system.ts';
import type { Part, Result } from '../part.ts';
import { newTenant } from '../tenant.ts';
import { compareTimes, type Comparison } from './compare-times.ts';

const SAMPLES = 100;
/** A sign-in hashes a password, which takes a tenth of a second. */
const SIGN_INS = 30;

/** Requests about something that exists or existed, and about something that never did: their times must not tell which. */
export const times: Part = {
  name: 'times',
  async measure({ scale }) {
    await using bench = await startBenchSystem();
    const { gatewayUrl } = bench;
    const { teamId, billing } = await newTenant(bench.system);
    const samples = Math.ceil(SAMPLES / scale);

    const { id: customerId } = await billing.customers.create({ email: 'ada@example.com' });
    const links: string[] = [];
    for (let index = 0; index < samples; index += 1) {
      const { sessionId, token } = await billing.portal.create({ customerId });
      await billing.portal.revoke(sessionId);
      links.push(token);
    }
    const visit = (token = '') => refused(404, `${gatewayUrl}/portal/${token}`);
    const signIn = (email: string) =>
      refused(401, `${gatewayUrl}/api/auth/sign-in/email`, { email, password: 'not the password' });
    const known = await signUp(gatewayUrl);
    const forged = (team: string) =>
      refused(400, `${gatewayUrl}/api/webhooks/processor/${team}`, { id: 'evt_1' }, { 'stripe-signature': 't=1,v1=0' });

    return [
      resultOf(
        'sign-in with a wrong password, and of an unknown address',
        await compareTimes(
          Math.ceil(SIGN_INS / scale),
          () => signIn(known),
          () => signIn(`${random()}@example.com`),
        ),
      ),
      resultOf(
        'revoked portal link, and an invented one',
        await compareTimes(
          samples,
          index => visit(links[index]),
          () => visit(randomBytes(32).toString('base64url')),
        ),
      ),
      resultOf(
        'forged webhook of a team, and of none',
        await compareTimes(
          samples,
          () => forged(teamId),
          () => forged(`team_${'0'.repeat(24)}`),
        ),
      ),
    ];
  },
};

function resultOf(what: string, { one, other, differ }: Comparison): Result {
  const [billing, against] = [one, other].map(ms => `${ms.toFixed(1)} ms`);
  return { what, billing: billing ?? '', against: against ?? '', goal: 'less than 2 ms apart', isReached: !differ };
}

const random = () => randomBytes(16).toString('hex');

/** Signs a user up, and returns the address. */
async function signUp(gatewayUrl: string): Promise<string> {
  const email = `${random()}@example.com`;
  const response = await post(`${gatewayUrl}/api/auth/sign-up/email`, { email, password: random(), name: 'Ada' });
  if (!response.ok) throw new Error(`The sign-up returned ${response.status}: ${await response.text()}`);
  return email;
}

const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin, ...headers },
    body: JSON.stringify(body),
  });

/** Sends a request, which must be refused with this status. */
async function refused(
  status: number,
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await (body === undefined ? fetch(url, { headers }) : post(url, body, headers));
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`${url} returned ${response.status}, not ${status}.`);
}
