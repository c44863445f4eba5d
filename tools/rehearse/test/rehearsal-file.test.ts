import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRehearsal } from '../src/rehearsal-file.ts';

it('says at each wrong place what is expected there, of the names of customers too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'billing-rehearsal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, 'name: Wrong\nnow: tomorrow\ncustomers: { Bob: {} }\nsteps: [{ sel: {} }]\n');
  await expect(readRehearsal(file)).rejects.toThrow(
    [
      `${file} is no rehearsal:`,
      'now: Expected a day such as 2030-01-31, or a time.',
      'customers.Bob: Expected a short name of a-z, digits, - and _.',
      'steps.0: Unrecognized key: "sel"',
    ].join('\n  '),
  );
});
