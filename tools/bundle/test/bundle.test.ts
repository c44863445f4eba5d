import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import config from '../rolldown.config.ts';

const SOURCE = join(import.meta.dirname, 'fixture/program.ts');

let folder: string;
beforeAll(async () => {
  // Beside that of the programs, since a bundle refers to the sources from there.
  folder = await mkdtemp(join(import.meta.dirname, '../dist-'));
  const { output: outputs, ...options } = config;
  const [output] = [outputs].flat();
  const bundle = await rolldown({ ...options, input: SOURCE });
  await bundle.write({ ...output, dir: folder });
});
afterAll(() => rm(folder, { recursive: true }));

async function runFixture(): Promise<{ url: string; stack: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', join(folder, 'program.js')]);
  return JSON.parse(stdout);
}

it('tells a program where its source is, so that it reads the files beside it', async () => {
  expect((await runFixture()).url).toBe(pathToFileURL(SOURCE).href);
});

it('names the line of the source in an error', async () => {
  expect((await runFixture()).stack).toContain(`${SOURCE}:5:`);
});

it('maps our own code alone, and keeps dependencies below node_modules', async () => {
  const files = await readdir(folder, { recursive: true });
  expect(files.filter(file => file.endsWith('.map'))).toEqual(['program.js.map']);
  expect(files).toContainEqual(expect.stringMatching(/^node_modules.dependencies-/));
});
