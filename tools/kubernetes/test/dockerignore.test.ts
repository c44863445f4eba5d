import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

it('takes into the image what is named, and nothing else that lies in the folder', () => {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
  expect(lines[0]).toBe('*');
  const named = lines.filter(line => line.startsWith('!')).map(line => line.slice(1));
  for (const path of named) expect(existsSync(join(ROOT, path)), path).toBe(true);
  expect(named).not.toContain('*');
  // Another list beside the Dockerfile would count in place of this one.
  expect(existsSync(join(ROOT, 'tools/docker/Dockerfile.dockerignore'))).toBe(false);
});
