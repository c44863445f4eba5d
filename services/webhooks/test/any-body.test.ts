import { signatureOf } from '@billing/testing/signed-webhooks';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
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

const text = fc.string({ unit: 'binary' });
const event = customerUpdated();
/** Bodies from noise to nearly right. */
const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
  fc.json({ maxDepth: 8 }).map(json => Buffer.from(json)),
  fc
    .record({ key: fc.constantFrom(...Object.keys(event)), value: fc.jsonValue() })
    .map(({ key, value }) => Buffer.from(JSON.stringify({ ...event, [key]: value }))),
  fc
    .record({ key: text, value: fc.oneof(text, fc.double(), fc.jsonValue()) })
    .map(({ key, value }) =>
      Buffer.from(JSON.stringify({ ...event, data: { object: { id: 'cus_1', [key]: value } } })),
    ),
  fc
    .constantFrom('1e400', '-0', '1e-400', '123456789012345678901234567890')
    .map(number => Buffer.from(JSON.stringify(event).replace('"ada@example.com"', number))),
);

it('returns 200 or 400 for any signed body', async () => {
  await fc.assert(
    fc.asyncProperty(body, async bytes => {
      const response = await service.post(team.teamId, bytes, signatureOf(bytes, team.webhookSecret));
      expect([200, 400]).toContain(response.status);
    }),
    { numRuns: runs(300) },
  );
});

it('returns 400 for any signature that is not the team’s', async () => {
  const header = fc
    .oneof(
      text,
      fc.string().map(value => `t=${value},v1=${value}`),
    )
    .map(value => value.replaceAll(/[^\x20-\x7e]/g, ''));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constant(team.teamId as string), fc.string({ maxLength: 128 })),
      header,
      async (to, signature) => {
        const response = await service.post(encodeURIComponent(to) || 'x', JSON.stringify(event), signature);
        expect(response.status).toBe(400);
      },
    ),
    { numRuns: runs(200) },
  );
});
