import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireCounted } from './count-stored.ts';
import { completed } from './domain-events.ts';
import { makeDue, reconcilerOf } from './reconciling.ts';
import { leaseTeams } from '../src/receipt/reconciliations.ts';
import { outgoingSteps } from './outgoing-steps.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated, newStripeCustomer } from './stripe-events.ts';

/** Four events with payloads and objects of this size fit into nine tenths of it; a fifth is above, and does not fill it. */
const QUOTA = 115_000;
const description = 'x'.repeat(10_000);

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false, env: { QUOTA_BYTES: String(QUOTA) } });
});
afterEach(() => requireCounted(service.em));
afterAll(() => service[Symbol.asyncDispose]());

const newEvent = ({ projectId }: Team) => customerUpdated(projectId, { description });

/** The events of a team that have their payload, in the order in which they came. */
async function withPayload({ teamId }: Team): Promise<unknown> {
  const [row] = await service.sql(
    `select coalesce(json_agg(id order by received_at), '[]') as ids from webhook_events where team_id = ? and payload is not null`,
    [teamId],
  );
  return row?.['ids'];
}

async function sendCompleted(team: Team, outcome: 'processed' | 'failed' = 'processed') {
  const event = newEvent(team);
  expect((await service.send(team, event)).status).toBe(200);
  await service.waitForPublications(event.id);
  await service.emit(completed(team, event.id, { outcome, error: outcome === 'failed' ? 'bug' : null }));
  return event.id;
}

/** Sends events of one customer that nobody completes until no more are taken; returns those that were. */
async function fill(team: Team) {
  const taken: { readonly id: string }[] = [];
  const customer = newStripeCustomer(team.projectId, { description });
  for (let status = 200; status === 200;) {
    const event = newWebhookEvent('customer.updated', customer);
    ({ status } = await service.send(team, event));
    if (status === 200) taken.push(event);
  }
  return taken;
}

it('deletes the oldest payloads of a team with little room, those of failed events last, and none of another team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const ofOther = await sendCompleted(other);
  const failed = await sendCompleted(team, 'failed');
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push(await sendCompleted(team));
  expect(await withPayload(team)).toEqual([failed, ...ids]);
  ids.push(await sendCompleted(team));
  const noted = customerUpdated(team.projectId);
  await service.send(team, noted);
  await waitFor(async () => !((await withPayload(team)) as string[]).includes(ids[0] ?? ''), {
    what: 'payloads to go',
  });
  expect(await withPayload(team)).toEqual(expect.arrayContaining([failed, ids.at(-1), noted.id]));
  expect(await withPayload(other)).toEqual([ofOther]);
  expect((await service.list(team)).pagination.total).toBe(6);
});

it('S75: refuses with 429 what is sent to a team that stores all that it may, and of no other team', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  const taken = await fill(team);
  const refused = await service.send(team, newEvent(team));
  expect([refused.status, refused.headers['retry-after'], refused.body.error.code]).toEqual([
    429,
    '60',
    'rate_limited',
  ]);
  expect(await withPayload(team)).toEqual(taken.map(({ id }) => id));
  expect((await service.send(other, newEvent(other))).status).toBe(200);

  for (const { id } of taken) await service.waitForPublications(id);
  await service.emit(...taken.map(({ id }) => completed(team, id)));
  await waitFor(async () => (await service.send(team, newEvent(team))).status === 200, { what: 'room' });
});

it('S75: records what happens in a full team without data, and what happens in another with them', async () => {
  const [team, other] = [await service.newTeam(), await service.newTeam()];
  await fill(team);
  const steps = outgoingSteps(service);
  const [ofTeam, ofOther] = [await steps.newEventOf(team), await steps.newEventOf(other)];
  expect([ofTeam.truncated, ofTeam.data, ofTeam.position]).toEqual([true, undefined, 1]);
  expect([ofOther.truncated, ofOther.data.id]).toEqual([undefined, ofOther.object.id]);
});

it('takes what a full team missed from Stripe later', async () => {
  const team = await service.newTeam();
  await service.stripeOf(team).customers.create({ email: 'ada@example.com' });
  await fill(team);
  await makeDue(service, team.teamId);
  const leased = (await leaseTeams(service.em, 100)).find(({ teamId }) => teamId === team.teamId);
  if (!leased) throw new Error('The team was not due.');
  const quota = { bytes: QUOTA, note: () => undefined };
  await expect(reconcilerOf(service, { quota }).reconcile(leased)).rejects.toThrow('as many bytes as it may');
});

it('counts what is stored once, and nothing that belongs to nobody in the team’s schema', async () => {
  const team = await service.newTeam();
  const again = newEvent(team);
  await Promise.all([service.send(team, again), service.send(team, again), service.send(team, again)]);
  const foreign = newWebhookEvent('customer.updated', {
    id: 'cus_foreign',
    object: 'customer',
    description,
    metadata: {},
  });
  await service.send(team, foreign);
  await service.waitForPublications(again.id);
  await waitFor(async () => (await service.list({ ...team }, '?limit=1')).pagination.total > 0, { what: 'records' });
  await waitFor(
    async () =>
      (await service.sql(`select 1 from webhook_events where id = ? and waiting_for is not null`, [foreign.id]))
        .length > 0,
    { what: 'the foreign event to wait' },
  );
  expect(await service.sql(`select id from "${team.teamId}".customers`)).toEqual([{ id: again.data.object.id }]);
});
