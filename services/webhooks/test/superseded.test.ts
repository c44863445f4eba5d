import { processorEvent } from '@billing/contracts/processor-events';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { waitFor } from '@billing/testing/wait-for';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { completed } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

const TYPE = 'customer.subscription.updated';
const NAME = processorEvent(TYPE).name;
/** What a team may have on the bus. */
const WINDOW = 1_000;
const NOW = Math.floor(Date.now() / 1_000);

let service: WebhooksService;
let team: Team;
beforeEach(async () => {
  service = await startWebhooks({ run: false });
  team = await service.newTeam();
  await service.sql('insert into project_copies values (?, ?)', [team.teamId, team.projectId]);
});
afterEach(() => service[Symbol.asyncDispose]());

/** Sends an update of one subscription that was created at this second. */
async function sendUpdate(of: Team, second: number, where: Parameters<WebhooksService['send']>[2] = {}) {
  const object = { id: 'sub_1', object: 'subscription', metadata: { projectId: of.projectId }, quantity: second };
  const event = newWebhookEvent(TYPE, object, { created: NOW + second });
  await service.send(of, event, where);
  return event;
}

/** Stores updates before any is processed. Returns their ids. */
async function storeUpdates(...seconds: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const second of seconds) ids.push((await sendUpdate(team, second)).id);
  return ids;
}

const waitForStatus = (id: string, status: string) =>
  waitFor(async () => (await service.recordOf(team, id))?.status === status, { what: `${id} to be ${status}` });

it('publishes the newest update of an object that waits, and completes the older ones with it', async () => {
  const [first = '', newest = '', second = ''] = await storeUpdates(1, 3, 2);
  await service.run();
  const publications = await service.waitForPublications(newest, TYPE);
  expect(publications).toMatchObject([{ data: { object: { quantity: 3 }, supersedes: [first, second] } }]);
  await service.emit(...[newest, first, second].map(id => completed(team, id)));
  for (const id of [newest, first, second]) await waitForStatus(id, 'processed');
  await service.endLeases();
  const [later = ''] = await storeUpdates(4);
  await service.waitForPublications(later, TYPE);
  expect([first, second].flatMap(id => service.publicationsOf(id, TYPE))).toEqual([]);
});

it('processes superseded updates by themselves when the newest fails', async () => {
  const [older = '', newest = ''] = await storeUpdates(1, 2);
  await service.run();
  await service.waitForPublications(newest, TYPE);
  await service.emit(completed(team, newest, { outcome: 'failed', error: 'no luck' }));
  await waitForStatus(newest, 'failed');
  await service.endLeases();
  expect(await service.waitForPublications(older, TYPE)).toHaveLength(1);
  await service.emit(completed(team, older));
  await waitForStatus(older, 'processed');
});

it('finds the other updates of an object behind a backlog', async () => {
  const [first = '', newest = '', second = ''] = await storeUpdates(1, 3, 2);
  await service.sql(
    `insert into webhook_events select (jsonb_populate_record(e, jsonb_build_object(
       'id', 'evt_' || n, 'object_id', 'sub_other_' || n, 'payload', replace(e.payload::text, 'sub_1', 'sub_other_' || n)::json))).*
       from webhook_events e, generate_series(1, 1500) n where e.id = ?`,
    [first],
  );
  await service.endLeases();
  await service.sql(`update webhook_events set due_at = now() - interval '1 hour' where id <> all(?)`, [
    [newest, second],
  ]);
  await service.sql(`update webhook_events set due_at = now() - interval '2 hours' where id = ?`, [first]);
  await service.startCopy();
  const [publication] = await service.waitForPublications(newest, TYPE);
  expect(publication?.data.supersedes?.toSorted()).toEqual([first, second].toSorted());
});

it('counts what an event supersedes, so that another team’s event does not wait for all of it', async () => {
  const [id] = await storeUpdates(0);
  await service.sql(
    `insert into webhook_events select (jsonb_populate_record(e, jsonb_build_object(
       'id', 'evt_' || o || '_' || n, 'object_id', 'sub_other_' || o,
       'processor_created_at', e.processor_created_at + n * interval '1 second',
       'payload', replace(e.payload::text, 'sub_1', 'sub_other_' || o)::json))).*
       from webhook_events e, generate_series(1, 800) o, generate_series(1, 5) n where e.id = ?`,
    [id],
  );
  await service.endLeases();
  const copy = await service.startCopy();
  const published = () => service.received.filter(({ teamId, type }) => teamId === team.teamId && type === NAME).length;
  // Each counts as two: itself, and the four that it supersedes.
  await waitFor(() => published() >= WINDOW / 2, { what: 'the window to fill' });
  const other = await service.newTeam();
  // Each of these is in another batch, to which the flooding team could add.
  for (const second of [1, 2, 3, 4]) {
    const { id: otherId } = await sendUpdate(other, second, { to: copy });
    await service.waitForPublications(otherId, TYPE);
  }
  expect(published()).toBeLessThan(0.7 * WINDOW);
});

it('processes an update by itself that was leased before, since it may have crashed the process', async () => {
  const [crashing = '', newest = ''] = await storeUpdates(1, 2);
  await service.sql('update webhook_events set routing_attempts = 1 where id = ?', [crashing]);
  await service.endLeases();
  await service.startCopy();
  for (const id of [crashing, newest]) {
    const [publication] = await service.waitForPublications(id, TYPE);
    expect(publication?.data.supersedes).toBeUndefined();
  }
});

it('publishes two updates of one second by themselves', async () => {
  const ids = await storeUpdates(1, 1);
  await service.run();
  for (const id of ids) expect(await service.waitForPublications(id, TYPE)).toHaveLength(1);
});
