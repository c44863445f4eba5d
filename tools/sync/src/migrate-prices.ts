import { BillingClient, type PriceMigration } from '@billing/client';
import { runCommand } from './command-line.ts';
import { follow, readFindings, requireCompleted } from './follow.ts';
import { parseMigration } from './migration-arguments.ts';
import { showMigrationProgress } from './progress.ts';
import { migrationTable, more } from './tables.ts';

/** Runs a price migration by the API, shows its progress, and prints what it does. Ctrl-C leaves it running. */
await runCommand('price-migrations', async () => {
  const { url, apiKey, team, project, from, to, apply, filter, limit, ...flags } = parseMigration(
    process.argv.slice(2),
    process.env,
  );
  const { priceMigrations } = new BillingClient({ baseUrl: url, apiKey, teamId: team, projectId: project });
  const createdBefore = flags['created-before'];
  const { id } = await priceMigrations.create({
    fromPriceId: from,
    toPriceId: to,
    mode: apply ? 'apply' : 'report',
    keepDiscounts: !flags['remove-discounts'],
    filter: { metadata: filter, ...(createdBefore !== undefined && { createdBefore }) },
  });
  process.stderr.write(`${id} has been started, and goes on if this command ends.\n`);
  const migration = await follow<PriceMigration>(
    options => priceMigrations.get(id, options),
    showMigrationProgress(process.stderr),
  );
  const { findings, total } = await readFindings(page => priceMigrations.findings(id, page), limit);
  const counts = Object.entries(migration.counts).map(([outcome, count]) => `${outcome}: ${count}`);
  const shown =
    findings.length > 0 ? `\n\n${migrationTable(findings)}${more(findings, total, `price-migrations/${id}`)}` : '';
  process.stdout.write(`${counts.join('  ')}${shown}\n`);
  requireCompleted(migration);
});
