import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventsPage } from '../src/events-page.ts';

it('matches docs/events.md; after a change of the contracts run `npm run docs`', async () => {
  const written = await readFile(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  expect(written).toBe(eventsPage());
});
