import { randomUUID } from 'node:crypto';
import type { ServiceName } from '@billing/contracts/operation';
import type { CommandAction } from '@billing/contracts/resources/audit-entry';
import { parseDeadLetterId } from '@billing/contracts/resources/dead-letter';
import { openDatabase } from '@billing/database/database';
import { StartError } from '@billing/database/start-error';
import { findDeadLetter, listDeadLetters, type DeadLetterFilter } from '@billing/messaging/find-dead-letters';
import { openOutbox, type Outbox } from '@billing/messaging/outbox';
import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { auditOfCommand } from '@billing/service/audit';
import { changeDeadLetters, type DeadLetterChange } from '@billing/service/dead-letters';
import type { Arguments } from './arguments.ts';
import { formatLetter, formatList, toJson } from './format.ts';

/** The outbox of one service's database. */
interface ServiceOutbox {
  readonly service: ServiceName;
  readonly outbox: Outbox;
}

/** The names of the commands in audit logs. */
const ACTIONS = { retry: 'retryDeadLetters', drop: 'dropDeadLetters' } as const satisfies Record<
  DeadLetterChange,
  CommandAction
>;

/**
 * Runs the command on the tables of the given services, and returns what to print.
 * @throws StartError when there is no such dead letter, or it may not be dropped now
 */
export async function runCommand(args: Arguments, databases: ReadonlyMap<ServiceName, string>): Promise<string> {
  await using resources = new AsyncDisposableStack();
  const named = args.id === undefined ? undefined : parseDeadLetterId(args.id).service;
  const services = [...databases]
    .filter(([service]) => named === undefined || service === named)
    .map(([service, url]): ServiceOutbox => {
      const options = { service, url, entities: messagingEntities, migrations: messagingMigrations };
      const database = resources.adopt(openDatabase(options), it => it.close());
      return { service, outbox: openOutbox(database.em) };
    });
  const filter = { teamId: args.team ?? null, id: args.id, consumer: args.consumer, type: args.type };
  switch (args.command) {
    case 'list':
      return await list(services, filter, args);
    case 'show':
      return await show(services, filter, args);
    case 'retry':
    case 'drop':
      return await change(args.command, services, filter, args);
    default:
      return args.command satisfies never;
  }
}

async function list(services: readonly ServiceOutbox[], filter: DeadLetterFilter, { limit, json }: Arguments) {
  const lists = await Promise.all(
    services.map(({ service, outbox }) => listDeadLetters(outbox.em, service, filter, { limit, offset: 0 })),
  );
  const letters = lists
    .flatMap(([ofService]) => ofService)
    .toSorted((a, b) => b.letter.failedAt.getTime() - a.letter.failedAt.getTime())
    .slice(0, limit);
  const total = lists.reduce((sum, [, ofService]) => sum + ofService, 0);
  return json ? JSON.stringify({ deadLetters: letters.map(toJson), total }, null, 2) : formatList(letters, total);
}

async function show(services: readonly ServiceOutbox[], filter: DeadLetterFilter, { id = '', json }: Arguments) {
  const owned = await findOne(services, { ...filter, id });
  return json ? JSON.stringify({ deadLetter: toJson(owned) }, null, 2) : formatLetter(owned);
}

async function findOne(services: readonly ServiceOutbox[], filter: DeadLetterFilter & { readonly id: string }) {
  for (const { service, outbox } of services) {
    const found = await findDeadLetter(outbox.em, service, filter);
    if (found) return found;
  }
  throw new StartError(`There is no dead letter ${filter.id}; it may have been handled or dropped.`);
}

async function change(
  name: DeadLetterChange,
  services: readonly ServiceOutbox[],
  filter: DeadLetterFilter,
  { id, json }: Arguments,
): Promise<string> {
  const requestId = randomUUID();
  let count = 0;
  for (const { service, outbox } of services)
    count += await changeDeadLetters(name, { service, outbox })(filter, () => auditOfCommand(ACTIONS[name], requestId));
  if (id !== undefined && count === 0) {
    await findOne(services, { ...filter, id });
    throw new StartError(`${id} is being retried; wait until it is handled or has failed.`);
  }
  if (json) return JSON.stringify({ count });
  const letters = `${count} dead ${count === 1 ? 'letter' : 'letters'}`;
  return name === 'drop' ? `${letters} dropped` : `${letters} to be retried: list shows those that fail again`;
}
