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
  const smaller = await fetch(url, { headers: { 'accept-encoding': 'gzip, br' } });
  expect(smaller.headers.get('content-encoding')).toBe('br');
  expect(await smaller.text()).toBe(SCRIPT);
  expect(response.headers.get('vary')).toContain('Accept-Encoding');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.has('content-encoding')).toBe(false);
  expect(await plain.text()).toBe(SCRIPT);
});

it('shows its page for an unknown address to a browser, and JSON to programs and under /api and /assets', async () => {
  await using built = await newConsole();
  await using gateway = await startGateway({ consoleFolder: built.consoleFolder });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const get = async (path: string, accept: string, method = 'GET') => {
    const { status, headers } = await fetch(`${gateway.url}${path}`, { method, headers: { accept } });
    return [status, headers.get('content-type')?.split(';')[0]];
  };
  for (const path of ['/teamsters', '/signin', '/docs/other', '/favicon.ico', '/accept-invitation/x'])
    expect(await get(path, browser), path).toEqual([404, 'text/html']);
  for (const path of ['/api/service/nothing', '/api/nothing', '/assets/other.js'])
    expect(await get(path, browser), path).toEqual([404, 'application/json']);
  for (const path of ['/assets/..%2findex.html', '/assets/%2e%2e/index.html']) {
    const { status, body } = await gateway.call('GET', path);
    expect([400, 404]).toContain(status);
    expect(body.error.code).toMatch(/^(route_not_found|validation_error)$/);
  }
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5'])
    expect(await get('/teamsters', accept), accept).toEqual([404, 'application/json']);
  expect(await get('/teamsters', browser, 'POST')).toEqual([404, 'application/json']);
  const { headers } = await fetch(`${gateway.url}/teamsters`, { headers: { accept: browser } });
  expect(headers.get('content-security-policy')).toContain(`default-src 'none'`);
});

it('says how to build the console when that was not done', async () => {
  await using gateway = await startGateway({ consoleFolder: pathToFileURL('/nowhere/') });
  const response = await gateway.call('GET', '/');
  expect(response.status).toBe(503);
  expect(await (await fetch(`${gateway.url}/`)).text()).toContain('npm run build');
  expect(response.headers.get('content-security-policy')).toContain(`default-src 'none'`);
  expect((await gateway.call('GET', '/health/live')).status).toBe(200);
});
