import { randomUUID } from 'node:crypto';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { customerHistory as history, startDelivering, type OutgoingSteps } from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import type { Team, WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  // What is due says PostgreSQL's clock, whatever this one says.
  ({ service, steps } = await startDelivering({ now: () => new Date(Date.now() - 60_000) }));
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

const [EVENTS, BEFORE] = [900, 200];

/** Starts to send many events to an endpoint, of which the later ones get a response once `goOn` was called. */
async function startBusyTurn(team: Team) {
  const positions: number[] = [];
  const gate = Promise.withResolvers<void>();
  const receiver = await startReceiver(async ({ body }) => {
    positions.push(JSON.parse(body).position);
    if (positions.length > BEFORE) await gate.promise;
    return 200;
  });
  const { id } = await steps.newEndpoint(team, receiver.url);
  await steps.emit(team, ...history(team, EVENTS, 1));
  await waitFor(() => positions.length === BEFORE + 10, { what: 'the turn to be under way' });
  return { id, positions, goOn: gate.resolve, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() };
}

it('sends what is due before a backlog, also while there is always something to write', async () => {
  const team = await service.newTeam();
  await using busy = await startBusyTurn(team);
  const [first] = await waitFor(
    async () => {
      const rows = await service.sql('select id from webhook_deliveries where endpoint_id = ? and position = 1', [
        busy.id,
      ]);
      return rows.length === 1 ? rows : undefined;
    },
    { what: 'the first delivery' },
  );
  const retried = await steps.call(team, 'POST', `/webhook-deliveries/${String(first?.['id'])}/retry`);
  expect(retried.status).toBe(202);
  busy.goOn();
  await waitFor(() => busy.positions.length === EVENTS + 1, { what: 'all' });
  expect(busy.positions.lastIndexOf(1)).toBeLessThan(EVENTS - 100);
});

it('goes on with a recovery of an endpoint whose turn does not end', async () => {
  const team = await service.newTeam();
  await using busy = await startBusyTurn(team);
  await waitFor(
    async () =>
      (await service.sql('select 1 from webhook_deliveries where endpoint_id = ? and position <= 3', [busy.id]))
        .length === 3,
    { what: 'the first deliveries' },
  );
  // As the first part of a long one leaves it.
  await service.sql(
    `insert into recoveries (id, team_id, project_id, endpoint_id, only_which, since, until, position, to_position, matched, queued, created_at)
     values (?, ?, ?, ?, 'all', now() - interval '1 day', now(), 0, 3, 3, 0, now())`,
    [`whr_${randomUUID()}`, team.teamId, team.projectId, busy.id],
  );
  const isQueued = async () =>
    (await service.sql('select 1 from recoveries where endpoint_id = ? and finished_at is not null', [busy.id]))
      .length === 1;
  // The turn hangs in its requests.
  await waitFor(isQueued, { what: 'the rest to be queued' });
  busy.goOn();
  await waitFor(() => busy.positions.length === EVENTS + 3, { what: 'all' });
  expect(busy.positions.filter(position => position <= 3)).toHaveLength(6);
});

it('begins no request once its lease may have ended', async () => {
  const team = await service.newTeam();
  await using busy = await startBusyTurn(team);
  // Another copy has it, and this process stood still for longer than a lease.
  await service.sql(`update webhook_endpoints set lease_id = ?, due_at = now() + interval '1 hour' where id = ?`, [
    randomUUID(),
    busy.id,
  ]);
  const before = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => before() + 61_000);
  const onTheirWay = busy.positions.length;
  busy.goOn();
  const other = await service.newTeam();
  await using receiver = await startReceiver();
  await steps.newEndpoint(other, receiver.url);
  await steps.emit(other, ...history(other, 1, 1));
  await waitFor(() => receiver.received.length === 1, { what: 'another endpoint to be served' });
  expect(busy.positions).toHaveLength(onTheirWay);
});
