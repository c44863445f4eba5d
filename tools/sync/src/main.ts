import { setTimeout as pause } from 'node:timers/promises';
import { BillingClient, type Sync } from '@billing/client';
import { parseArguments, type Arguments } from './arguments.ts';
import { showProgress } from './progress.ts';
import { countsTable, findingsTable } from './tables.ts';

const POLL_MS = 500;
/** Enough to outlast a restart of the services, about a minute and a half. */
const FOLLOW_RETRIES = 30;

/** Runs a sync by the API, shows its progress, and prints what it found. Ctrl-C leaves it running. */
async function run({ url, apiKey, team, project, apply, types, filter, mark, limit, ...flags }: Arguments) {
  const billing = new BillingClient({ baseUrl: url, apiKey, teamId: team, projectId: project });
  const { id } = await billing.syncs.create({
    mode: apply ? 'apply' : 'report',
    ...(types && { types }),
    filter: { metadata: filter, includeUnmarked: !flags['marked-only'] },
    markAtProcessor: mark,
  });
  process.stderr.write(`${id} has been started, and goes on if this command ends.\n`);
  const sync = await follow(billing, id);
  const findings: Parameters<typeof findingsTable>[0][number][] = [];
  for await (const finding of billing.syncs.findings(id)) {
    if (findings.length === limit) break;
    findings.push(finding);
  }
  const { total } = await billing.syncs.findings(id, { limit: 1 }).page();
  const more = total > findings.length ? `\n… and ${total - findings.length} more: GET …/syncs/${id}/findings` : '';
  const shown = findings.length > 0 ? `\n\n${findingsTable(findings)}${more}` : '';
  process.stdout.write(`${countsTable(sync)}${shown}\n`);
  if (sync.status !== 'completed')
    throw new Error(`${id} is ${sync.status}: ${sync.error?.message ?? 'somebody stopped it.'}`);
}

async function follow(billing: BillingClient, id: string): Promise<Sync> {
  const progress = showProgress(process.stderr);
  try {
    for (;;) {
      const sync = await billing.syncs.get(id, { maxRetries: FOLLOW_RETRIES });
      progress.show(sync);
      if (sync.status !== 'queued' && sync.status !== 'running') return sync;
      await pause(POLL_MS);
    }
  } finally {
    progress.stop();
  }
}

try {
  await run(parseArguments(process.argv.slice(2), process.env));
} catch (err) {
  process.stderr.write(`sync: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
