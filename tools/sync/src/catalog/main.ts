import { styleText } from 'node:util';
import { BillingClient } from '@billing/client';
import { runCommand } from '../command-line.ts';
import { parseCatalogArguments, type CatalogArguments } from './arguments.ts';
import { countsText, differenceText, isDifference, isUndone, outcomeText, type Paint } from './difference.ts';
import { readDocument } from './document-file.ts';
import { pullDocument } from './pull-document.ts';
import { runDocument, type EndedRun } from './run-document.ts';

/** A terminal has colors, unless NO_COLOR is set. */
const paint: Paint = (color, text) => styleText(color, text, { stream: process.stdout });
const print = (text: string) => process.stdout.write(`${text}\n`);

/** Makes a report, and prints what an apply would change. */
async function plan(client: BillingClient, { file, prune, adopt }: CatalogArguments): Promise<EndedRun> {
  const report = await runDocument(client, { catalog: await readDocument(file), mode: 'report', prune, adopt });
  const shown = differenceText(report.findings, paint);
  if (shown !== '') print(shown);
  print(countsText(report.findings, report.run));
  return report;
}

/** Applies what a report has found; without a report that is made first. */
async function apply(client: BillingClient, args: CatalogArguments): Promise<void> {
  const catalog = await readDocument(args.file);
  const report = args.report === undefined ? await plan(client, args) : undefined;
  if (report && !report.findings.some(isDifference)) return;
  const reportId = report?.run.id ?? args.report;
  const { run, findings } = await runDocument(client, { catalog, mode: 'apply', reportId });
  print(`\n${outcomeText(findings, paint)}`);
  const undone = findings.filter(isUndone).length;
  print(`${findings.filter(({ applied }) => applied).length} applied, ${undone} not applied. Apply: ${run.id}`);
  if (undone > 0) process.exitCode = 1;
}

await runCommand('catalog', async () => {
  const args = parseCatalogArguments(process.argv.slice(2), process.env);
  const { command, url, apiKey, team, project } = args;
  const client = new BillingClient({ baseUrl: url, apiKey, teamId: team, projectId: project });
  if (command === 'pull') print(await pullDocument(client, args));
  else if (command === 'apply') await apply(client, args);
  else if ((await plan(client, args)).findings.some(isDifference)) process.exitCode = 2;
});
