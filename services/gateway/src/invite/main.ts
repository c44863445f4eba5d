import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { email } from '@billing/contracts/text';
import { migrate } from '@billing/database/database';
import { StartError } from '@billing/database/start-error';
import { auditOfCommand } from '@billing/service/audit';
import { httpOrigin, parseEnv, serviceEnv } from '@billing/service/env';
import { openServiceDatabase } from '@billing/service/service-database';
import { createInvitationLinks } from '#domain/invitation-link.ts';
import { inviteOwner } from '#operations/invite-owner.ts';
import { gatewaySchema } from '#persistence/schema.ts';

const environment = serviceEnv.pick({ DATABASE_URL: true }).extend({ PUBLIC_URL: httpOrigin });
const USAGE = 'Usage: npm run invite -- --owner --email <e-mail address> [--team <name>]';

/** Prints a link by which the person with this address signs up, within seven days, and owns a new team. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { owner: { type: 'boolean' }, email: { type: 'string' }, team: { type: 'string', default: 'My team' } },
  });
  const { data: address } = email.safeParse(values.email);
  if (!values.owner || address === undefined) throw new StartError(USAGE);
  const { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl } = parseEnv(environment);
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(openServiceDatabase('gateway', gatewaySchema, databaseUrl), it => it.close());
  await migrate(database);
  // Only links of requests that may be repeated are derived from a key.
  const invitationLinks = createInvitationLinks({ publicUrl, derivationKey: randomBytes(32) });
  const invite = inviteOwner({ em: database.em, invitationLinks, now: () => new Date() });
  const link = await invite({ email: address, teamName: values.team }, auditOfCommand('invite', randomUUID()));
  process.stdout.write(`${link}\n`);
}

try {
  await main();
} catch (err) {
  process.stderr.write(`invite: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
