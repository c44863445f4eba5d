import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { email } from '@billing/contracts/text';
import { migrate } from '@billing/database/database';
import { StartError } from '@billing/database/start-error';
import { auditEntryOf, auditOfCommand } from '@billing/service/audit';
import { httpOrigin, parseEnv, serviceEnv } from '@billing/service/env';
import { createLogger } from '@billing/service/logger';
import { openServiceDatabase } from '@billing/service/service-database';
import { openSignIn } from '#auth/sign-in.ts';
import { insertAuditEntries } from '#persistence/insert-audit-entries.ts';
import { gatewaySchema } from '#persistence/schema.ts';
import { Member } from '#persistence/entities.ts';

const environment = serviceEnv.pick({ DATABASE_URL: true }).extend({ PUBLIC_URL: httpOrigin });

/**
 * Prints a link by which the user with the given e-mail address can choose a new password within an hour. The audit log of
 * each of the user's teams has an entry before it is printed.
 */
async function main(): Promise<void> {
  const { data: address } = email.safeParse(process.argv[2]);
  if (address === undefined) throw new StartError('Usage: npm run reset-link -- <e-mail address>');
  const { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl } = parseEnv(environment);
  await using resources = new AsyncDisposableStack();
  const signIn = resources.adopt(
    await openSignIn({
      databaseUrl,
      publicUrl,
      // Only sessions need the gateway's own one.
      secret: randomBytes(32).toString('hex'),
      logger: await createLogger('reset-link', { level: 'silent' }),
    }),
    it => it.close(),
  );
  const user = await signIn.users.findByEmail(address);
  const link = user && (await signIn.createResetLink(address));
  if (!user || link === undefined) throw new StartError(`No user has the address ${address}.`);
  const database = resources.adopt(openServiceDatabase('gateway', gatewaySchema, databaseUrl), it => it.close());
  await migrate(database);
  await recordResetLink(database.em, user.id);
  process.stdout.write(`${link}\n`);
}

/** Records in the audit log of each of a user's teams that an operator made a link to reset the user's password. */
async function recordResetLink(em: EntityManager, userId: string): Promise<void> {
  const fork = em.fork();
  const memberships = await fork.find(Member, { userId });
  const requestId = randomUUID();
  const target = { type: 'user', id: userId } as const;
  await insertAuditEntries(
    fork,
    memberships.map(({ teamId }) => ({
      teamId,
      entry: auditEntryOf(auditOfCommand('resetLink', requestId), { target }),
    })),
  );
}

try {
  await main();
} catch (err) {
  process.stderr.write(`reset-link: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
