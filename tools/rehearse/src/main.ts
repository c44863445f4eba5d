import { writeFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { BillingClient } from '@billing/client';
import { runCommand } from '@billing/sync/command-line';
import { parseArguments } from './arguments.ts';
import { drawing } from './drawing.ts';
import { junitXml } from './junit.ts';
import { play } from './play.ts';
import { readRehearsal } from './rehearsal-file.ts';
import { applyCatalog, setStage } from './stage.ts';
import { hasFailed, linesOf, verdictOf, type Entry } from './timeline.rules.ts';

/** A terminal has colors, unless NO_COLOR is set. */
const painted = (line: string): string =>
  /^\S+ {2}✗/.test(line) ? styleText('red', line, { stream: process.stdout }) : line;
const print = (...lines: readonly string[]) => process.stdout.write(`${lines.map(painted).join('\n')}\n`);

/** Plays a rehearsal, and prints its timeline as it goes. */
await runCommand('rehearse', async () => {
  const { file, url, apiKey, team, project, junit, picture, keep } = parseArguments(process.argv.slice(2), process.env);
  const rehearsal = await readRehearsal(file);
  const { name, now, steps } = rehearsal;
  const client = new BillingClient({ baseUrl: url, apiKey, teamId: team, projectId: project });
  // First of all: a live account has no clock.
  const clock = await client.testClocks.create({ name, now: new Date(now) });
  try {
    await applyCatalog(client, rehearsal);
    const stage = await setStage(client, clock, rehearsal);
    print(name, '');
    const entries: Entry[] = [];
    for await (const entry of play(stage, steps, clock.now)) {
      entries.push(entry);
      print(...linesOf(entry, stage.names));
    }
    print('', verdictOf(entries));
    if (entries.some(hasFailed)) process.exitCode = 1;
    if (junit !== undefined) await writeFile(junit, junitXml(name, entries));
    if (picture !== undefined)
      await writeFile(picture, drawing({ name, start: clock.now, entries, names: stage.names }));
  } finally {
    if (keep) process.stderr.write(`The clock ${clock.id} stays with its customers, until ${clock.deletesAt}.\n`);
    else await client.testClocks.delete(clock.id);
  }
});
