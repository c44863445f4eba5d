import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FULL = '/dev/full';
const program = `
  const { createLogger } = await import(${JSON.stringify(join(import.meta.dirname, '../src/logger.ts'))});
  const logger = await createLogger('test', { level: 'info', format: 'json' });
  for (let line = 0; line < 3; line += 1) {
    logger.info('a line');
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  process.stderr.write('still here');
`;

// Linux alone has a file that is always full.
it.runIf(existsSync(FULL))('goes on when the log can not be written', async () => {
  const full = openSync(FULL, 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  const written: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => written.push(text));
  const [code] = await once(child, 'close');
  expect({ code, written: written.join('') }).toEqual({ code: 0, written: 'still here' });
});
