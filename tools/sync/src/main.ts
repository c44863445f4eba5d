import { BillingClient, type Sync } from '@billing/client';
import { parseArguments } from './arguments.ts';
import { runCommand } from './command-line.ts';
import { follow, readFindings, requireCompleted } from './follow.ts';
import { showProgress } from './progress.ts';
import { countsTable, findingsTable, more } from './tables.ts';

/** Runs a sync by the API, shows its progress, and prints what it found. Ctrl-C leaves it running. */
await runCommand('sync', async () => {
  const { url, apiKey, team, project, apply, types, filter, mark, limit } = parseArguments(
    process.argv.slice(2),
    process.env,
  );
  const { syncs } = new BillingClient({ baseUrl: url, apiKey, teamId: team, projectId: project });
  const { id } = await syncs.create({
    mode: apply ? 'apply' : 'report',
    ...(types && { types }),
    filter: { metadata: filter },
    markAtProcessor: mark,
  });
  process.stderr.write(`${id} has been started, and goes on if this command ends.\n`);
  const sync = await follow<Sync>(options => syncs.get(id, options), showProgress(process.stderr));
  const { findings, total } = await readFindings(page => syncs.findings(id, page), limit);
  const shown = findings.length > 0 ? `\n\n${findingsTable(findings)}${more(findings, total, `syncs/${id}`)}` : '';
  process.stdout.write(`${countsTable(sync)}${shown}\n`);
  requireCompleted(sync);
});
