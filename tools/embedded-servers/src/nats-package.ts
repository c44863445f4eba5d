import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installBinary } from './nats-release.ts';

const run = promisify(execFile);
const PACKAGE_TIMEOUT_MS = 90_000;

/**
 * Extracts the server from the distribution's package without installing it. This needs no root and does not start a
 * system service. apt checks the package's signature.
 * @throws when apt or the package is missing
 */
export async function extractFromApt(targetDir: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'billing-apt-'));
  const download = (options: readonly string[]) =>
    run('apt-get', [...options, '-qq', 'download', 'nats-server'], { cwd: folder, timeout: PACKAGE_TIMEOUT_MS });
  try {
    await download([]).catch(async () => {
      // A fresh machine has no package lists yet; lists in a folder of our own need no root.
      const lists = join(folder, 'lists');
      await mkdir(join(lists, 'partial'), { recursive: true });
      const options = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${folder}`, '-o', 'APT::Sandbox::User='];
      await run('apt-get', [...options, '-qq', 'update'], { timeout: PACKAGE_TIMEOUT_MS });
      await download(options);
    });
    const archive = (await readdir(folder)).find(name => name.endsWith('.deb'));
    if (archive === undefined) throw new Error('apt-get downloaded nothing');
    await run('dpkg-deb', ['-x', join(folder, archive), folder]);
    return await installBinary(join(folder, 'usr/sbin/nats-server'), targetDir);
  } catch (cause) {
    throw new Error(`apt-get did not provide nats-server: ${lastLine(cause)}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Installs the server with Homebrew.
 * @throws when Homebrew is missing or fails
 */
export async function installWithHomebrew(): Promise<string> {
  try {
    await run('brew', ['install', '--quiet', 'nats-server'], { timeout: 2 * PACKAGE_TIMEOUT_MS });
    const { stdout } = await run('brew', ['--prefix']);
    return join(stdout.trim(), 'bin', 'nats-server');
  } catch (cause) {
    throw new Error(`brew did not provide nats-server: ${lastLine(cause)}`, { cause });
  }
}

function lastLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().split('\n').at(-1) ?? '';
}
