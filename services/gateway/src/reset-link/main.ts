import { randomBytes } from 'node:crypto';
import { email } from '@billing/contracts/text';
import { migrate } from '@billing/database/database';
import { StartError } from '@billing/database/start-error';
import { createLogger } from '@billing/service/logger';
import { openServiceDatabase } from '@billing/service/service-database';
import { openSignIn } from '#auth/sign-in.ts';
import { recordResetLink } from '#operations/record-reset-link.ts';
import { gatewaySchema } from '#persistence/schema.ts';
import { findGateway } from './find-gateway.ts';

/**
 * Prints a link by which the user with the given e-mail address can choose a new password within an hour. The audit log of
 * each of the user's teams has an entry before it is printed.
 */
async function main(): Promise<void> {
  const { data: address } = email.safeParse(process.argv[2]);
  if (address === undefined) throw new StartError('Usage: npm run reset-link -- <e-mail address>');
  const gateway = await findGateway(process.env);
  await using resources = new AsyncDisposableStack();
  const signIn = resources.adopt(
    await openSignIn({
      ...gateway,
      // Only sessions need the gateway's own one.
      secret: randomBytes(32).toString('hex'),
      logger: await createLogger('reset-link', { level: 'silent' }),
    }),
    it => it.close(),
  );
  const user = await signIn.users.findByEmail(address);
  const link = user && (await signIn.createResetLink(address));
  if (!user || link === undefined) throw new StartError(`No user has the address ${address}.`);
  const database = resources.adopt(openServiceDatabase('gateway', gatewaySchema, gateway.databaseUrl), it =>
    it.close(),
  );
  await migrate(database);
  await recordResetLink(database.em, user.id);
  process.stdout.write(`${link}\n`);
}

try {
  await main();
} catch (err) {
  process.stderr.write(`reset-link: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
