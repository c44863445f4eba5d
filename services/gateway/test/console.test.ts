import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { startGateway } from './start-gateway.ts';

const SCRIPT = 'console.log("ready");'.repeat(50);

/** A console as its build leaves it. */
async function newConsole() {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Billing</title>');
  await writeFile(join(folder, 'assets/index-4f2a.js'), SCRIPT);
  return {
    consoleFolder: pathToFileURL(`${folder}/`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

it('serves one page at each address of the console, under a policy without exceptions', async () => {
  await using built = await newConsole();
  await using gateway = await startGateway({ consoleFolder: built.consoleFolder });
  for (const path of ['/', '/sign-in', '/teams/team_1/projects/proj_1/customers?search=x']) {
    const response = await gateway.call('GET', path);
    expect(response.status).toBe(200);
    expect(await (await fetch(`${gateway.url}${path}`)).text()).toContain('<title>Billing</title>');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain(`default-src 'none'; style-src 'self'; script-src 'self'`);
    expect(policy).not.toMatch(/unsafe|data:|\*/);
  }
});

it('serves assets forever, compressed for those who take it', async () => {
  await using built = await newConsole();
  await using gateway = await startGateway({ consoleFolder: built.consoleFolder });
  const url = `${gateway.url}/assets/index-4f2a.js`;
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
  expect(await response.text()).toBe(SCRIPT);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('vary')).toContain('Accept-Encoding');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.has('content-encoding')).toBe(false);
  expect(await plain.text()).toBe(SCRIPT);
});

it.each(['/assets/other.js', '/assets/..%2findex.html', '/assets/%2e%2e/index.html', '/teamsters', '/signin'])(
  'has nothing at %s',
  async path => {
    await using built = await newConsole();
    await using gateway = await startGateway({ consoleFolder: built.consoleFolder });
    const { status, body } = await gateway.call('GET', path);
    expect([400, 404]).toContain(status);
    expect(body.error.code).toMatch(/^(route_not_found|validation_error)$/);
  },
);

it('says how to build the console when that was not done', async () => {
  await using gateway = await startGateway({ consoleFolder: pathToFileURL('/nowhere/') });
  const response = await gateway.call('GET', '/');
  expect(response.status).toBe(503);
  expect(await (await fetch(`${gateway.url}/`)).text()).toContain('npm run build');
  expect(response.headers.get('content-security-policy')).toContain(`default-src 'none'`);
  expect((await gateway.call('GET', '/health/live')).status).toBe(200);
});
