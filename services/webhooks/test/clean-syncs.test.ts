import { SyncId } from '@billing/contracts/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanSyncs } from '../src/sync/complete-sync.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let team: Team;
beforeAll(async () => {
  service = await startWebhooks({ run: false });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A sync that ended so many days ago, with three customers. */
async function newSync(status: string, daysAgo: number): Promise<SyncId> {
  const id = SyncId.create();
  await service.sql(
    `insert into syncs (id, team_id, project_id, mode, status, types, filter, mark_at_processor, nightly, type, phase,
                        kind, counts, created_at, finished_at, failures)
     values (?, ?, ?, 'report', ?, '{}', '{}', false, false, 'customer', 'recheck', 'account', ?::jsonb, now(),
             now() - make_interval(days => ?), 0)`,
    [id, team.teamId, team.projectId, status, status === 'completed' ? '{}' : null, daysAgo],
  );
  for (const [state, outcome] of [
    ['suspect', 'missing'],
    ['done', 'same'],
    ['confirmed', 'different'],
  ])
    await service.sql(
      `insert into sync_objects (sync_id, type, processor_id, team_id, project_id, state, object, read_at, is_marked,
                                 outcome, fields, applied, checks)
       values (?, 'customer', ?, ?, ?, ?, '{}', now(), false, ?, '[]', false, 0)`,
      [id, `cus_${outcome}`, team.teamId, team.projectId, state, outcome],
    );
  return id;
}
const objectsOf = (id: SyncId) =>
  service.sql('select processor_id, object from sync_objects where sync_id = ? order by 1', [id]);

it('deletes what a stopped sync found nothing in, and counts it before', async () => {
  const stopped = await newSync('canceled', 1);
  const running = await newSync('running', 1);
  await cleanSyncs(service.em);
  await cleanSyncs(service.em);
  expect(await objectsOf(stopped)).toEqual([{ processor_id: 'cus_different', object: null }]);
  const [{ counts } = {}] = await service.sql('select counts from syncs where id = ?', [stopped]);
  expect(counts).toMatchObject({ customer: { same: 1, different: 1 } });
  expect(await objectsOf(running)).toHaveLength(3);
});

it('deletes findings after thirty days, and no sync', async () => {
  const [old, young] = [await newSync('completed', 31), await newSync('completed', 29)];
  await cleanSyncs(service.em);
  expect(await objectsOf(old)).toEqual([]);
  expect(await objectsOf(young)).toHaveLength(3);
  expect(await service.sql('select 1 from syncs where id = ?', [old])).toHaveLength(1);
});
