import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface Release {
  version: string;
  baseUrl: string;
  /** SHA-256 of each `nats-server-v<version>-<platform>.tar.gz`, by platform; other platforms are not downloaded. */
  sha256: Readonly<Record<string, string>>;
}

/** The checksums are those in the official container image of this release (nats:2.12.15-alpine). */
export const PINNED_RELEASE: Release = {
  version: '2.12.15',
  baseUrl: 'https://github.com/nats-io/nats-server/releases/download',
  sha256: {
    'linux-amd64': '58ab8131f819263897e2fc38e503e1b755b63bcafeecc7d12582487df48ca15e',
    'linux-arm64': 'b724db99fefbf8f5c808baa82819ee50350aee9734017e4a478f7e545cef3ab6',
  },
};

const DOWNLOAD_TIMEOUT_MS = 10_000;

/**
 * Downloads a release for this platform within ten seconds and installs its server in `targetDir` atomically.
 * @throws when the platform has no pinned checksum, the download fails, or the checksum differs
 */
export async function downloadRelease(
  release: Release,
  targetDir: string,
  platform: string = platformName(),
): Promise<string> {
  const expected = release.sha256[platform];
  if (expected === undefined) throw new Error(`no release of nats-server is pinned for ${platform}`);

  const name = `nats-server-v${release.version}-${platform}`;
  const archive = await fetchArchive(`${release.baseUrl}/v${release.version}/${name}.tar.gz`);
  const actual = createHash('sha256').update(archive).digest('hex');
  if (actual !== expected) throw new Error(`the download of ${name} has the SHA-256 ${actual} instead of ${expected}`);

  const folder = await mkdtemp(join(tmpdir(), 'billing-nats-'));
  try {
    const file = join(folder, 'release.tar.gz');
    await writeFile(file, archive);
    await promisify(execFile)('tar', ['-xzf', file, '-C', folder]);
    return await installBinary(join(folder, name, 'nats-server'), targetDir);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies a server into the cache; the final rename is atomic, so a reader never sees a partial file. */
export async function installBinary(source: string, targetDir: string): Promise<string> {
  await mkdir(targetDir, { recursive: true });
  const target = join(targetDir, 'nats-server');
  const unfinished = join(dirname(target), `.nats-server.${process.pid}`);
  // The source may be on another file system, where a rename is not possible.
  await promisify(execFile)('cp', [source, unfinished]);
  await chmod(unfinished, 0o755);
  await rename(unfinished, target);
  return target;
}

/** Takes the proxy of `HTTPS_PROXY`, if there is one. */
async function fetchArchive(url: string): Promise<Buffer> {
  const useNoProxy = setGlobalProxyFromEnv();
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : '';
    throw new Error(`the download of ${url} failed: ${reason}`, { cause });
  } finally {
    useNoProxy();
  }
}

/** The platform as release files name it, for example `linux-amd64`. */
function platformName(): string {
  return `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
}
