import { DELIVERIES_PATH, encodeBundle, type BundleResponse, type Delivery } from '@billing/contracts/delivery-bundle';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
let team: Team;

beforeAll(async () => {
  service = await startWebhooks({ run: false });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const newEvent = () => customerUpdated(team.projectId);

function delivery(of: Team, body: string | Buffer, changes: Partial<Delivery> = {}): Delivery {
  const bytes = Buffer.from(body);
  const signature = signatureOf(bytes, of.webhookSecret);
  return { teamId: of.teamId, signature, requestId: 'a-request', trace: {}, body: bytes, ...changes };
}

const post = (payload: Buffer, headers: Record<string, string> = service.identity.anonymous()) =>
  service.app?.inject({
    method: 'POST',
    url: DELIVERIES_PATH,
    payload,
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  });

const responsesTo = async (deliveries: readonly Delivery[]) =>
  (await post(encodeBundle(deliveries)))?.json<BundleResponse>().responses;

it('stores the valid events of a bundle, and refuses the others one by one', async () => {
  const other = await service.newTeam();
  const [first, second, third] = [newEvent(), newEvent(), newEvent()];
  const responses = await responsesTo([
    delivery(team, JSON.stringify(first)),
    delivery(team, JSON.stringify(second), { signature: 't=1,v1=00' }),
    delivery(team, JSON.stringify(third), { teamId: other.teamId }),
    delivery(team, JSON.stringify(newEvent()), { signature: undefined }),
    delivery(team, JSON.stringify(newEvent()), { teamId: 'unknown' }),
    delivery(team, 'no event'),
    delivery(team, JSON.stringify(first)),
    delivery(other, JSON.stringify(third)),
  ]);
  expect(responses?.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400, 400, 200, 200]);
  expect(responses?.[1]?.body).toMatchObject({ error: { code: 'invalid_signature', requestId: 'a-request' } });
  expect(responses?.[5]?.body).toMatchObject({ error: { code: 'invalid_event' } });
  expect([responses?.[0]?.body, responses?.[6]?.body]).toEqual([
    { received: true },
    { received: true, duplicate: true },
  ]);
  const idsOf = async (of: Team) => (await service.list(of)).webhookEvents.map(({ id }) => id);
  expect([await idsOf(team), await idsOf(other)]).toEqual([[first.id], [third.id]]);
});

it('leaves the bytes of each event as they were signed', async () => {
  const body = ` ${JSON.stringify({ ...newEvent(), name: 'Zoë 😀' })}\n`;
  expect(await responsesTo([delivery(team, body), delivery(team, `${body} `)])).toMatchObject([
    { status: 200 },
    { status: 200, body: { duplicate: true } },
  ]);
});

it('accepts bundles from the gateway only', async () => {
  expect((await post(encodeBundle([delivery(team, JSON.stringify(newEvent()))]), {}))?.statusCode).toBe(401);
});
