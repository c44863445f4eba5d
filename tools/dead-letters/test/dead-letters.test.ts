import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { defineEvent } from '@billing/contracts/event';
import { TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';
import { openDatabase } from '@billing/database/database';
import { toDelivery } from '@billing/messaging/bus';
import { receiverOf } from '@billing/messaging/consumer/consume';
import { consumer } from '@billing/messaging/consumer/consumer';
import { startDeadLetterRetries } from '@billing/messaging/consumer/retry-dead-letters';
import { openOutbox } from '@billing/messaging/outbox';
import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { databaseUrlVariable } from '@billing/service/service-databases';
import { createTestDatabase } from '@billing/testing/database';
import { waitFor } from '@billing/testing/wait-for';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseArguments } from '../src/arguments.ts';
import { findDatabases } from '../src/find-databases.ts';
import { runCommand } from '../src/run-command.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const Paid = defineEvent('test.paid.v1', z.object({ number: z.int() }));
const logger = pino({ level: 'silent' });

/** A service's tables, and a consumer that fails until `mend` is called. */
async function startConsumer(service: ServiceName) {
  const resources = new AsyncDisposableStack();
  const tables = { entities: messagingEntities, migrations: messagingMigrations };
  const { url } = resources.use(await createTestDatabase(service, tables));
  const database = resources.adopt(openDatabase({ service, url, ...tables }), opened => opened.close());
  const outbox = openOutbox(database.em);
  let isMended = false;
  const failing = consumer(`${service}-payments`, 'test.>').on(Paid, async () => {
    if (!isMended) throw new Error('relation "payments"\n does not exist');
  });
  const receive = receiverOf(failing, { outbox, logger });
  return {
    service,
    url,
    /** Has an event fail for good; returns its team. */
    async fail(teamId = TeamId.create()) {
      const event = { id: randomUUID(), type: Paid.name, teamId, occurredAt: new Date(), data: { number: 7 } };
      for (let attempt = 1; attempt <= 8; attempt += 1) await receive(toDelivery(event, attempt));
      return teamId;
    },
    /** Runs the service with the fault mended, until no letter is left to be retried. */
    async runMended() {
      isMended = true;
      const loop = startDeadLetterRetries({
        em: database.em,
        consumers: [{ consumer: failing, receive }],
        intervalMs: 20,
        logger,
      });
      const isDone = async () =>
        (await database.em.fork().execute('select 1 from dead_letters where due_at is not null')).length === 0;
      await waitFor(isDone, { what: 'the retries' });
      await loop.stop();
    },
    audited: async () =>
      (
        await database.em.fork().execute<{ data: z.input<typeof AuditRecorded.data> }[]>(
          `select event -> 'data' as data from outbox_messages, json_array_elements(body::json) as event
              where type = ? order by sequence`,
          [AuditRecorded.name],
        )
      ).map(({ data: { action, actor, target } }) => ({ action, actor: actor.type, target })),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type OfService = Pick<Awaited<ReturnType<typeof startConsumer>>, 'service' | 'url'>;

/** The environment that names the databases of these services. */
function environmentOf(services: readonly OfService[]): NodeJS.ProcessEnv {
  const variables = Object.fromEntries(services.map(({ service, url }) => [databaseUrlVariable(service), url]));
  return { ...process.env, DATABASE_URL: '', ...variables };
}

/** Runs the command on the databases of these services, in this process, and returns what it prints. */
async function run(services: readonly OfService[], ...args: string[]): Promise<string> {
  const parsed = parseArguments(args);
  return runCommand(parsed, await findDatabases(environmentOf(services), parsed.service));
}

/** Runs the command as an operator does. */
async function runInShell(services: readonly OfService[], ...args: string[]) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env: environmentOf(services) });
    return { code: 0, text: stdout };
  } catch (err) {
    const { code, stderr } = z.object({ code: z.int(), stderr: z.string() }).parse(err);
    return { code, text: stderr };
  }
}

it('lists, shows, retries and drops the letters of all teams and services', async () => {
  await using catalog = await startConsumer('catalog');
  await using customers = await startConsumer('customers');
  const both = [catalog, customers];
  expect(await runInShell(both, 'list')).toEqual({ code: 0, text: 'no dead letters\n' });
  const teams = [await catalog.fail(), await catalog.fail(), await customers.fail()];

  const table = await run(both, 'list');
  const rows = table.split('\n');
  expect(rows[0]).toMatch(/^ID +TEAM +CONSUMER +TYPE +STATUS +ATTEMPTS +FAILED AT +ERROR$/);
  // Newest first; the text of the error stays in its row.
  expect(rows.slice(1, 4).map(row => teams.findIndex(team => row.includes(team)))).toEqual([2, 1, 0]);
  expect(rows[1]).toMatch(/customers-payments +test\.paid\.v1 +failed +8 .*relation "payments" {2}does not exist$/);
  expect(rows[4]).toBe('3 in all');

  const json = async (...args: string[]) => JSON.parse(await run(both, ...args, '--json'));
  const [newest] = (await json('list', '--limit', '1')).deadLetters;
  expect(newest).toMatchObject({ service: 'customers', teamId: teams[2], attempts: 8 });
  expect((await json('list', '--team', teams[0] ?? '', '--type', Paid.name)).total).toBe(1);
  expect((await json('list', '--service', 'catalog', '--consumer', 'catalog-payments')).total).toBe(2);
  expect((await json('list', '--type', 'test.unknown.v1')).total).toBe(0);
  expect((await json('show', '--id', newest.id)).deadLetter).toMatchObject({ id: newest.id, data: { number: 7 } });
  expect(await run(both, 'show', '--id', newest.id)).toContain('"number": 7');

  expect(await run(both, 'retry', '--team', teams[0] ?? '')).toContain('1 dead letter to be retried');
  expect(await run(both, 'drop', '--id', newest.id)).toBe('1 dead letter dropped');
  await catalog.runMended();
  expect((await json('list')).deadLetters).toMatchObject([{ teamId: teams[1] }]);
  await expect(run(both, 'drop')).rejects.toThrow('add --yes');
  expect(await json('drop', '--yes')).toEqual({ count: 1 });
  expect((await json('list')).total).toBe(0);

  const ofTeam = (index: number) => ({ type: 'team', id: teams[index] });
  expect(await catalog.audited()).toEqual([
    { action: 'retryDeadLetters', actor: 'operator', target: ofTeam(0) },
    { action: 'dropDeadLetters', actor: 'operator', target: ofTeam(1) },
  ]);
  expect(await customers.audited()).toEqual([
    { action: 'dropDeadLetters', actor: 'operator', target: { type: 'dead_letter', id: newest.id } },
  ]);
});

it('says what is wrong, and changes nothing', async () => {
  await using catalog = await startConsumer('catalog');
  const unknown = `dl_catalog_${'0'.repeat(32)}`;
  const attempts = [
    [['show', '--id', unknown], 'There is no dead letter'],
    [['drop', '--id', unknown], 'There is no dead letter'],
    [['list', '--service', 'customers'], 'CUSTOMERS_DATABASE_URL is missing'],
  ] as const;
  for (const [args, reason] of attempts) await expect(run([catalog], ...args)).rejects.toThrow(reason);
  expect(await runInShell([catalog], 'delete')).toMatchObject({ code: 1, text: expect.stringContaining('Usage') });
  await catalog.fail();
  const { deadLetters } = JSON.parse(await run([catalog], 'list', '--json'));
  await run([catalog], 'retry');
  await expect(run([catalog], 'drop', '--id', deadLetters[0].id)).rejects.toThrow('is being retried');
  expect(JSON.parse(await run([catalog], 'drop', '--yes', '--json'))).toEqual({ count: 0 });
});
