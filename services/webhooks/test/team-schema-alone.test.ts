import { migrate } from '@billing/service/database';
import { TeamId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RAW_TABLES, teamSchemaName } from '#domain/raw-object.ts';
import { openDatabase } from '#persistence/database.ts';
import { keepRawObjects } from '#team-schema/keep-raw-objects.ts';
import { listen } from './bus.ts';
import { aCustomer, anEvent, startService, type Service, type Team } from './service.ts';

let service: Service;
let bus: ReturnType<typeof listen>;

beforeAll(async () => {
  service = await startService();
  bus = listen(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const nameOf = (team: Team | TeamId) => teamSchemaName(typeof team === 'string' ? team : team.teamId);
const idsOf = async (team: Team | TeamId, table: string) =>
  (await service.admin.query(`select id from "${nameOf(team)}".${table} order by id`)).rows.map(row => String(row.id));

/** Sends an event about a customer of the team, and waits until its project was told. */
async function sendCustomer(team: Team): Promise<string> {
  const customer = aCustomer(team.projectId);
  const event = anEvent('customer.updated', customer);
  expect((await service.send(team, event)).statusCode).toBe(200);
  await bus.waitForFacts(event.id, 'customer.updated');
  return customer.id;
}

it('is made once, though copies of the service need it for many teams and tables at the same moment', async () => {
  const other = openDatabase(service.testDatabase.url);
  try {
    await migrate(other);
    const teams = Array.from({ length: 6 }, () => TeamId.create());
    const types = ['customer.updated', 'invoice.paid', 'product.updated', 'charge.succeeded'] as const;
    const uses = teams.flatMap(teamId =>
      [service.database.em, other.em].flatMap((em, copy) =>
        types.map(
          type => () =>
            keepRawObjects(em, [{ teamId, type, createdAt: new Date(1_000), object: { id: `${type} ${copy}` } }]),
        ),
      ),
    );
    await Promise.all(uses.map(use => use()));
    for (const teamId of teams) {
      const { rows } = await service.admin.query(
        'select table_name from information_schema.tables where table_schema = $1',
        [nameOf(teamId)],
      );
      expect(rows.map(row => String(row.table_name)).toSorted()).toEqual([...RAW_TABLES].toSorted());
      expect(await idsOf(teamId, 'invoices')).toEqual(['invoice.paid 0', 'invoice.paid 1']);
      expect(await idsOf(teamId, 'charges')).toEqual(['charge.succeeded 0', 'charge.succeeded 1']);
    }
  } finally {
    await other.close();
  }
});

it('refers to nothing outside and nothing outside refers to it, so that it can be dumped alone', async () => {
  const team = await service.newTeam();
  await sendCustomer(team);
  const { rows } = await service.admin.query(
    `with own as (
       select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1)
     select 'foreign key' as what from pg_constraint
      where contype = 'f' and (conrelid in (select oid from own) or confrelid in (select oid from own))
     union all
     select 'view or rule' from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
      where d.refobjid in (select oid from own)
     union all
     select 'trigger' from pg_trigger where tgrelid in (select oid from own) and not tgisinternal
     union all
     select 'inheritance' from pg_inherits
      where inhrelid in (select oid from own) or inhparent in (select oid from own)
     union all
     select 'sequence or default' from pg_attrdef where adrelid in (select oid from own)
     union all
     select 'type from elsewhere' from pg_attribute a join pg_type t on t.oid = a.atttypid
      where a.attrelid in (select oid from own) and a.attnum > 0 and t.typnamespace <> 'pg_catalog'::regnamespace`,
    [nameOf(team)],
  );
  expect(rows).toEqual([]);
});

it('dropped with all that is in it takes nothing from others, and the next event makes it again', async () => {
  const [gone, staying] = [await service.newTeam(), await service.newTeam()];
  const [before, kept] = [await sendCustomer(gone), await sendCustomer(staying)];
  await service.admin.query(`drop schema "${nameOf(gone)}" cascade`);

  const next = await sendCustomer(staying);
  expect(await idsOf(staying, 'customers')).toEqual([kept, next].toSorted());
  expect((await service.list(gone)).webhookEvents).toHaveLength(1);
  const again = await sendCustomer(gone);
  expect(await idsOf(gone, 'customers')).toEqual([again]);
  expect(again).not.toBe(before);
  await waitFor(async () => (await service.list(gone)).webhookEvents.length === 2, { what: 'both records' });
});
