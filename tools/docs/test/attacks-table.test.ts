import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withAttacksTable } from '../src/attacks-table.ts';

it('matches docs/security.md; after a change of the attacks run `npm run docs`', async () => {
  const written = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  expect(written).toBe(await withAttacksTable(written));
});
