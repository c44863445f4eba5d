import { TeamId } from '@billing/contracts/ids';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RAW_TABLES, teamSchemaName } from '../src/pipeline/raw-object.rules.ts';
import { readContent } from '../src/receipt/event-content.rules.ts';
import { openTeamSchemas } from '../src/pipeline/team-schema.ts';
import { mirrorObjects } from '../src/pipeline/mirror.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { newStripeCustomer } from './stripe-events.ts';

let service: WebhooksService;

beforeAll(async () => {
  service = await startWebhooks();
});
afterAll(() => service[Symbol.asyncDispose]());

const nameOf = (team: Team | TeamId) => teamSchemaName(typeof team === 'string' ? team : team.teamId);
const idsOf = async (team: Team | TeamId, table: string) =>
  (await service.sql(`select id from "${nameOf(team)}".${table} order by id`)).map(row => String(row['id']));

/** Sends an event about a new customer of the team, and waits until it is published; returns the customer's id. */
async function sendCustomer(team: Team): Promise<string> {
  const customer = newStripeCustomer(team.projectId);
  const event = newWebhookEvent('customer.updated', customer);
  expect((await service.send(team, event)).status).toBe(200);
  await service.waitForPublications(event.id);
  return customer.id;
}

it('is created once, though copies of the service need it for many teams and tables at once', async () => {
  await using other = await service.startCopy({ run: false });
  // Each copy has ten connections; with more uses than that they would only wait for one.
  const teams = [TeamId.create(), TeamId.create()];
  const types = ['customer.updated', 'invoice.paid', 'product.updated', 'charge.succeeded'] as const;
  const uses = teams.flatMap(teamId =>
    [service.em, other.em].flatMap((em, copy) =>
      types.map(type => async () => {
        await openTeamSchemas(em).ensure([teamId]);
        const content = readContent(type, { object: { id: `${type} ${copy}` } });
        const event = { teamId, createdAt: new Date(1_000), ...content };
        await em.fork().transactional(tx => mirrorObjects(tx, [event]));
      }),
    ),
  );
  await Promise.all(uses.map(use => use()));
  for (const teamId of teams) {
    const tables = await service.sql('select table_name from information_schema.tables where table_schema = ?', [
      nameOf(teamId),
    ]);
    expect(tables.map(row => String(row['table_name'])).toSorted()).toEqual([...RAW_TABLES].toSorted());
    expect(await idsOf(teamId, 'invoices')).toEqual(['invoice.paid 0', 'invoice.paid 1']);
    expect(await idsOf(teamId, 'charges')).toEqual(['charge.succeeded 0', 'charge.succeeded 1']);
  }
});

it('has no references from or to outside, so that it can be dumped alone', async () => {
  const team = await service.newTeam();
  await sendCustomer(team);
  const references = await service.sql(
    `with own as (
       select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = ?)
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
  expect(references).toEqual([]);
});

it('can be dropped without effect on others, and the next event creates it again', async () => {
  const [gone, staying] = [await service.newTeam(), await service.newTeam()];
  const [before, kept] = [await sendCustomer(gone), await sendCustomer(staying)];
  await service.sql(`drop schema "${nameOf(gone)}" cascade`);

  const next = await sendCustomer(staying);
  expect(await idsOf(staying, 'customers')).toEqual([kept, next].toSorted());
  expect((await service.list(gone)).webhookEvents).toHaveLength(1);
  const again = await sendCustomer(gone);
  expect(await idsOf(gone, 'customers')).toEqual([again]);
  expect(again).not.toBe(before);
  expect((await service.list(gone)).webhookEvents).toHaveLength(2);
});
