import { DELIVERIES_PATH, encodeBundle, type BundleResponse, type Delivery } from '@billing/contracts/delivery-bundle';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCustomer, anEvent, sign, startService, type Service, type Team } from './service.ts';

let service: Service;
let team: Team;

beforeAll(async () => {
  service = await startService({ working: false });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const event = () => anEvent('customer.updated', aCustomer(team.projectId));

function deliver(of: Team, body: string | Buffer, changes: Partial<Delivery> = {}): Delivery {
  const bytes = Buffer.from(body);
  const signature = sign(bytes, of.webhookSecret);
  return { teamId: of.teamId, signature, requestId: 'a-request', trace: {}, body: bytes, ...changes };
}

const post = (payload: Buffer, headers: Record<string, string> = service.identity.anonymous()) =>
  service.app.inject({
    method: 'POST',
    url: DELIVERIES_PATH,
    payload,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  });

const answersTo = async (deliveries: readonly Delivery[]) =>
  (await post(encodeBundle(deliveries))).json<BundleResponse>().responses;

it('stores what is good in a bundle, and refuses the rest one by one', async () => {
  const other = await service.newTeam();
  const [first, second, third] = [event(), event(), event()];
  const answers = await answersTo([
    deliver(team, JSON.stringify(first)),
    deliver(team, JSON.stringify(second), { signature: 't=1,v1=00' }),
    deliver(team, JSON.stringify(third), { teamId: other.teamId }),
    deliver(team, JSON.stringify(event()), { signature: undefined }),
    deliver(team, JSON.stringify(event()), { teamId: 'nobody' }),
    deliver(team, 'no event'),
    deliver(team, JSON.stringify(first)),
    deliver(other, JSON.stringify(third)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400, 400, 200, 200]);
  expect(answers[1]?.body).toMatchObject({ error: { code: 'invalid_signature', requestId: 'a-request' } });
  expect(answers[5]?.body).toMatchObject({ error: { code: 'invalid_event' } });
  expect([answers[0]?.body, answers[6]?.body]).toEqual([{ received: true }, { received: true, duplicate: true }]);
  const { rows } = await service.admin.query('select team_id, id from webhooks.webhook_events');
  const stored = rows.map(row => [row.team_id, row.id]);
  expect(stored).toHaveLength(2);
  expect(stored).toEqual(
    expect.arrayContaining([
      [team.teamId, first.id],
      [other.teamId, third.id],
    ]),
  );
});

it('keeps the bytes of each as they were signed', async () => {
  const body = ` ${JSON.stringify({ ...event(), name: 'Zoë 😀' })}\n`;
  expect(await answersTo([deliver(team, body), deliver(team, `${body} `)])).toMatchObject([
    { status: 200 },
    { status: 200, body: { duplicate: true } },
  ]);
});

it('is taken from nobody but the gateway', async () => {
  expect((await post(encodeBundle([deliver(team, JSON.stringify(event()))]), {})).statusCode).toBe(401);
});
