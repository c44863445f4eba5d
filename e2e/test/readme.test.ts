import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('runs the curl session of the README as printed', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, session] = /## A session with curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  // Only the addresses differ from those of a reader's system.
  const script = String(session)
    .replace('http://localhost:8080', inject('gatewayUrl'))
    .replace('./.data/pids.json', join(inject('dataDir'), 'pids.json'));
  const folder = await mkdtemp(join(tmpdir(), 'billing-readme-'));
  try {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      timeout: 60_000,
    });
    expect(stdout).toContain('"connected":true');
    expect(stdout).toContain('the page leads to https://example.com/done?s=cs_test_');
    expect(stdout).toContain('"status":"active"');
    expect(stdout).toContain(`${inject('gatewayUrl')}/portal/`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
