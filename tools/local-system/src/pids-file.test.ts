import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openPidsWriter, type PidsFile } from './pids-file.ts';

const pidsOf = (pid: number): PidsFile => ({
  supervisor: { pid: 1, port: 1, url: 'http://127.0.0.1:1', token: 'token' },
  publicUrl: 'http://localhost:8080',
  parts: { catalog: { pid, port: 2, url: 'http://127.0.0.1:2' } },
});

it('goes on when the file can not be written, and writes the newest state once it can', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'billing-pids-'));
  const file = join(dataDir, 'pids.json');
  const read = (): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const lines: string[] = [];
  const pids = openPidsWriter(dataDir, line => lines.push(line));
  pids.write(pidsOf(10));

  // Refused as on a full disk, by everyone.
  mkdirSync(`${file}.new`);
  pids.write(pidsOf(11));
  pids.write(pidsOf(12));
  expect(read()).toEqual(pidsOf(10));
  expect(lines).toEqual([expect.stringMatching(/^pids\.json can't be written, and is tried again: /)]);

  rmdirSync(`${file}.new`);
  await vi.waitFor(() => expect(read()).toEqual(pidsOf(12)), 60_000);
  expect(lines.slice(1)).toEqual(['pids.json is written again']);
  pids.close();
  expect(() => read()).toThrow('ENOENT');
  rmSync(dataDir, { recursive: true });
});
