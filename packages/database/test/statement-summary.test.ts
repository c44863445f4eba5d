import { expect, it } from 'vitest';
import { summaryOf, verbOf } from '../src/statement-summary.ts';

it.each([
  ['select * from "catalog"."products" where id = 1', 'select products'],
  ['insert into outbox_messages (id) values ($1)', 'insert outbox_messages'],
  ['with recursive x as (select 1) update webhook_events set a = 1', 'select webhook_events'],
  ['select extract(epoch from until) from purged_teams', 'select purged_teams'],
  ['select id from unnest($1::text[]) as i(id) join prices using (id)', 'select prices'],
  ['begin', 'begin'],
  ['nonsense', 'unknown'],
])('names %s by its verb and table', (sql, name) => {
  expect(summaryOf(sql)).toBe(name);
  expect(summaryOf({ text: sql, values: [] })).toBe(name);
  expect(verbOf(sql)).toBe(name.split(' ')[0]);
});
