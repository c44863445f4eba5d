import { jetstreamManager } from '@nats-io/jetstream';
import { startLink } from '@billing/testing/link';
import { testNatsUrl } from '@billing/testing/nats';
import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { expect, it } from 'vitest';
import { captureLog } from './capture-log.ts';
import { completed } from './domain-events.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const COUNT = 50;
/** After two counted attempts an event has failed. */
const FEW_ATTEMPTS = { ROUTING_PAUSES_SECONDS: '0.1' };

async function expectCompleted(service: WebhooksService, team: Team, ids: readonly string[]): Promise<void> {
  for (const id of ids) await service.waitForPublications(id);
  await service.emit(...ids.map(id => completed(team, id)));
  expect((await service.list(team, '?status=processed')).pagination.total).toBe(ids.length);
  expect(ids.map(id => service.publicationsOf(id).length)).toEqual(ids.map(() => 1));
}

it.concurrent('keeps events and counts no attempt while the stream is full, and publishes them once there is room', async () => {
  const log = captureLog();
  await using service = await startWebhooks({ logger: log.logger, env: FEW_ATTEMPTS });
  const { bus } = service;
  const team = await service.newTeam();
  const streams = (await jetstreamManager(bus.nats)).streams;
  await streams.update(bus.root.toUpperCase(), { max_bytes: 1 });

  const first = customerUpdated(team.projectId);
  await service.send(team, first);
  await waitFor(() => log.count('events not published, will try again') > 2, {
    what: 'more attempts to publish the first event than may be counted',
  });
  const waiting = { status: 'received', projectId: team.projectId, attempts: 0, error: null };
  expect(await service.recordOf(team, first.id)).toMatchObject(waiting);

  const others = Array.from({ length: COUNT }, () => customerUpdated(team.projectId));
  const responses = await Promise.all(others.map(event => service.send(team, event)));
  expect(responses.map(({ status }) => status)).toEqual(others.map(() => 200));
  expect(service.received.filter(({ type }) => type.startsWith('processor.'))).toEqual([]);

  await streams.update(bus.root.toUpperCase(), { max_bytes: -1 });
  await expectCompleted(
    service,
    team,
    [first, ...others].map(({ id }) => id),
  );
});

it.concurrent('receives events while the bus is away, and publishes them once it is back', async () => {
  const log = captureLog();
  await using link = await startLink(testNatsUrl());
  await using service = await startWebhooks({ run: false, env: FEW_ATTEMPTS });
  const { newProject } = service;
  const copy = await service.startCopy({ logger: log.logger, env: { ...FEW_ATTEMPTS, NATS_URL: link.url } });
  const team = await service.newTeam();
  const { teamId, projectId } = team;
  await service.emit(projectCreated(team));
  // The gateway must be called for this one.
  const other = newProject(teamId);

  // Its lease is released a second later, while the next publications are still in flight.
  const earlier = customerUpdated(projectId);
  expect((await service.send(team, earlier, { to: copy })).status).toBe(200);
  await service.waitForPublications(earlier.id);

  await link.cut();
  const routable = customerUpdated(projectId);
  const unknown = newWebhookEvent('product.updated', { id: 'prod_1', metadata: { projectId: other } });
  for (const event of [routable, unknown]) expect((await service.send(team, event, { to: copy })).status).toBe(200);
  const isReleased = async () =>
    (await service.sql('select 1 from webhook_events where id = ? and lease_id is null', [unknown.id])).length === 1;
  await waitFor(
    () => log.count('events not published') > 0 && log.count('webhook events not processed') > 0 && isReleased(),
    { what: 'an attempt of each without the bus' },
  );
  expect(await service.recordOf(team, unknown.id)).toMatchObject({ status: 'received', attempts: 0, error: null });
  expect(await service.recordOf(team, routable.id)).toMatchObject({ status: 'received', projectId, attempts: 0 });

  await link.mend();
  await service.waitForPublications(unknown.id, 'product.updated');
  await service.waitForPublications(routable.id);
  const inOther = { teamId, projectId: other };
  await service.emit(completed(team, routable.id), completed(inOther, unknown.id));
  expect(await service.recordOf(team, routable.id)).toMatchObject({ status: 'processed' });
  expect(await service.recordOf(inOther, unknown.id)).toMatchObject({ status: 'processed' });
  expect(service.publicationsOf(unknown.id, 'product.updated')).toHaveLength(1);
  expect(service.publicationsOf(routable.id)).toHaveLength(1);
});
