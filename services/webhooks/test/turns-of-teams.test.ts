import { afterAll, beforeAll, expect, it } from 'vitest';
import { leaseEndpoints, TURNS } from '../src/outgoing/endpoint-rows.ts';
import { outgoingSteps } from './outgoing-steps.ts';
import { startWebhooks, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ run: false });
});
afterAll(() => service[Symbol.asyncDispose]());

it('S85: gives every team turns, however many slow endpoints the others have', async () => {
  const [slow, quick] = [await service.newTeam(), await service.newTeam()];
  const steps = outgoingSteps(service);
  for (const team of [slow, slow, slow, ...Array.from({ length: 8 }, () => quick)])
    await steps.newEndpoint(team, 'http://127.0.0.1:9/');
  await service.sql('update webhook_endpoints set due_at = now()');
  const lease = async (underWay: Readonly<Record<string, number>>) =>
    (await leaseEndpoints(service.em, 100, new Map(Object.entries(underWay)))).map(({ teamId }) => teamId);

  const full = { [slow.teamId]: TURNS.ofTeam, others: TURNS.ofAll - TURNS.ofTeam };
  expect(await lease(full)).toEqual(Array.from({ length: TURNS.least }, () => quick.teamId));
  expect(await lease({ ...full, [quick.teamId]: TURNS.least })).toEqual([]);
  expect(await lease({ [slow.teamId]: TURNS.ofTeam })).toEqual(Array.from({ length: 3 }, () => quick.teamId));
  expect(await lease({})).toEqual(Array.from({ length: 3 }, () => slow.teamId));
});
