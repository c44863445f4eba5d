import { expect, it } from 'vitest';
import { newEventId, publicationId } from '../src/event-id.ts';
import { deleteProcessed, markProcessed } from '../src/processed-events.ts';
import { startMessaging } from './start-messaging.ts';

const DAY_MS = 24 * 3_600_000;

it('deletes marks after 14 days, however many, and keeps young marks of old events', async () => {
  await using messaging = await startMessaging();
  const { em } = messaging;
  const event = { teamId: 'team', projectId: 'project', replays: 0 };
  const idAt = (eventId: string, days: number) =>
    publicationId({ ...event, eventId, createdAt: new Date(Date.now() - days * DAY_MS) });
  const old = ['evt_1', 'evt_2', 'evt_3'].map(eventId => idAt(eventId, 20));
  const fetched = idAt('evt_4', 20);
  const recent = newEventId();
  for (const consumer of ['one', 'other']) await markProcessed(em.fork(), consumer, [...old, fetched, recent]);
  await em.execute(`update processed_events set processed_at = now() - interval '15 days' where event_id = any(?)`, [
    `{${old.join(',')}}`,
  ]);
  const now = new Date();
  const runs = [
    await deleteProcessed(em, now, 4),
    await deleteProcessed(em, now, 4),
    await deleteProcessed(em, now, 4),
  ];
  expect(runs).toEqual([true, false, false]);
  const left = await em.execute<{ event_id: string }[]>('select distinct event_id from processed_events order by 1');
  expect(left.map(row => row.event_id)).toEqual([fetched, recent]);
});
