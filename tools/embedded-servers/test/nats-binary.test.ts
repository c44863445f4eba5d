import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { cacheFolders, findNatsServer } from '../src/nats-binary.ts';
import type { Release } from '../src/nats-release.ts';
import { temporaryFolder } from './temporary-folder.ts';

afterEach(() => void vi.unstubAllEnvs());

const PLATFORM = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const UNPINNED: Release = { version: '9.9.9', baseUrl: 'http://127.0.0.1:1', sha256: {} };

/** Serves one release whose binary is a shell script. */
async function downloadSite(folder: string): Promise<{ release: Release; requests: string[] } & AsyncDisposable> {
  const name = `nats-server-v9.9.9-${PLATFORM}`;
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'nats-server'), '#!/bin/sh\necho nats-server: v9.9.9\n', { mode: 0o755 });
  execFileSync('tar', ['-czf', join(folder, 'release.tar.gz'), '-C', folder, name]);
  const archive = await readFile(join(folder, 'release.tar.gz'));

  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(archive);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address of this type.
  const { port } = server.address() as AddressInfo;
  const sha256 = { [PLATFORM]: createHash('sha256').update(archive).digest('hex') };
  return {
    release: { version: '9.9.9', baseUrl: `http://127.0.0.1:${port}`, sha256 },
    requests,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const packaged = async (targetDir: string) => join(targetDir, 'nats-server');

it('prefers a server on the path', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'nats-server'), '', { mode: 0o755 });
  const found = await findNatsServer({ searchPath: ['/nowhere', folder.path], release: UNPINNED, packageManagers: [] });
  expect(found).toBe(join(folder.path, 'nats-server'));
});

it('downloads the pinned release once and caches it', async () => {
  await using folder = await temporaryFolder();
  await using site = await downloadSite(folder.path);
  const options = {
    searchPath: [],
    cacheDirs: [join(folder.path, 'cache')],
    release: site.release,
    packageManagers: [],
  };
  const found = await findNatsServer(options);
  expect(execFileSync(found, { encoding: 'utf8' })).toBe('nats-server: v9.9.9\n');
  expect(await findNatsServer(options)).toBe(found);
  expect(site.requests).toEqual([`/v9.9.9/nats-server-v9.9.9-${PLATFORM}.tar.gz`]);
});

it('downloads through the proxy of the environment', async () => {
  await using folder = await temporaryFolder();
  await using site = await downloadSite(folder.path);
  vi.stubEnv('HTTP_PROXY', site.release.baseUrl);
  const release = { ...site.release, baseUrl: 'http://releases.invalid' };
  const cacheDirs = [join(folder.path, 'cache')];
  await findNatsServer({ searchPath: [], cacheDirs, release, packageManagers: [] });
  expect(site.requests).toEqual([`http://releases.invalid/v9.9.9/nats-server-v9.9.9-${PLATFORM}.tar.gz`]);
});

it('rejects a wrong checksum and tries the package manager next', async () => {
  await using folder = await temporaryFolder();
  await using site = await downloadSite(folder.path);
  const release = { ...site.release, sha256: { [PLATFORM]: '0'.repeat(64) } };
  const options = { searchPath: [], cacheDirs: [join(folder.path, 'cache')], release };
  await expect(findNatsServer({ ...options, packageManagers: [] })).rejects.toThrow(
    /SHA-256 [0-9a-f]{64} instead of 0/,
  );

  expect(await findNatsServer({ ...options, packageManagers: [packaged] })).toBe(
    join(folder.path, 'cache', 'nats-server-packaged', 'nats-server'),
  );
});

it('names what to install when every source fails', async () => {
  await using folder = await temporaryFolder();
  const search = findNatsServer({
    searchPath: [],
    cacheDirs: [folder.path],
    release: UNPINNED,
    packageManagers: [() => Promise.reject(new Error('no package manager'))],
  });
  await expect(search).rejects.toThrow(/no package manager\)\. Install nats-server 2\.9 or later .* or set NATS_URL/);
});

it('caches where it can when the home can not be written', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'no-folder'), '');
  const [unwritable, writable] = [join(folder.path, 'no-folder', '.cache'), join(folder.path, 'cache')];
  const options = { searchPath: [], release: UNPINNED, packageManagers: [packaged] };
  const found = await findNatsServer({ ...options, cacheDirs: [unwritable, writable] });
  expect(found).toBe(join(writable, 'nats-server-packaged', 'nats-server'));
  await expect(findNatsServer({ ...options, cacheDirs: [unwritable] })).rejects.toThrow(
    'Install nats-server, or set XDG_CACHE_HOME',
  );
});

it('takes no relative cache folder from the environment', () => {
  for (const named of ['', 'cache'])
    expect(cacheFolders({ XDG_CACHE_HOME: named })[0]).toMatch(/^\/.*\.cache\/billing$/);
  expect(cacheFolders({ XDG_CACHE_HOME: '/x' })[0]).toBe('/x/billing');
});
