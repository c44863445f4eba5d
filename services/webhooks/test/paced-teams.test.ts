import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { customerHistory, startDelivering, type OutgoingSteps } from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import type { Team, WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  ({ service, steps } = await startDelivering({ perSecond: 1 }));
});
afterAll(() => service[Symbol.asyncDispose]());

it('S82: sends a team ten deliveries at once and then one a second, each once and in order, and another team its own at once', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const times: number[] = [];
  await using receiver = await startReceiver(() => (times.push(performance.now()), 204));
  await using ofOther = await startReceiver();
  for (const path of ['/a', '/b']) await steps.newEndpoint(team, receiver.origin + path);
  await steps.newEndpoint(other, ofOther.url);
  await steps.emit(team, ...customerHistory(team, 1, 8));
  await waitFor(() => times.length >= 10, { what: 'what may come at once' });
  await steps.emit(other, ...customerHistory(other, 1, 1));
  await waitFor(() => ofOther.received.length === 1, { what: 'the delivery of the other team' });
  expect(times.length).toBeLessThan(16);

  await waitFor(() => times.length === 16, { what: 'the rest' });
  const [first = NaN, last = NaN] = [times[0], times[15]];
  // Six more than come at once; the first one may have been on its way for long.
  expect(last - first).toBeGreaterThan(4_000);
  for (const path of ['/a', '/b']) {
    const sequences = receiver.received
      .filter(request => request.path === path)
      .map(({ body }) => JSON.parse(body).object.sequence);
    expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  }
});

it('counts tests by hand as deliveries of the team', async () => {
  const team = await service.newTeam();
  const projects = [team, { ...team, projectId: service.newProject(team.teamId) }];
  await using receiver = await startReceiver();
  const sendTests = async (project: Team) => {
    const { id } = await steps.newEndpoint(project, receiver.url);
    for (let count = 0; count < 10; count += 1)
      expect((await steps.call(project, 'POST', `/webhook-endpoints/${id}/test`, {})).status).toBe(200);
  };
  await Promise.all(projects.map(sendTests));
  const from = performance.now();
  await steps.emit(team, ...customerHistory(team, 3, 1));
  await waitFor(() => receiver.received.length === 23, { what: 'three deliveries' });
  expect(performance.now() - from).toBeGreaterThan(1_500);
});
