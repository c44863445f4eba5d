import { expect, it } from 'vitest';
import { leaseDueEvents, openWindow } from '../src/pipeline/lease.ts';
import { recordRoutes } from '../src/pipeline/route.ts';
import { startWebhooks } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

it('awaits no outcome again when an event is routed a second time', async () => {
  await using service = await startWebhooks({ run: false, reconciler: false });
  const team = await service.newTeam();
  await service.send(team, customerUpdated(team.projectId));
  await service.sql('update webhook_events set due_at = clock_timestamp()');
  const rooms = openWindow(service.em);
  const [event] = await leaseDueEvents(service.em, rooms, 1);
  if (!event) throw new Error('The event was not due.');
  const other = service.newProject(team.teamId);
  const route = { projects: [team.projectId, other], routedBy: 'known-id', leftOut: 0 } as const;
  const record = () =>
    service.outbox.transaction((tx, publish) => recordRoutes(tx, [{ event, route }], { publish, rooms }));

  expect(await record()).toHaveLength(1);
  await service.sql('update webhook_events set awaiting = awaiting[2:2]');
  expect(await record()).toEqual([]);
  expect(await service.sql('select to_jsonb(awaiting) as awaiting from webhook_events')).toEqual([
    { awaiting: [other] },
  ]);
});
