import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ApiKeyId, CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import { openCookieJar } from '../src/cookie-jar.ts';
import { loadState, saveState, type DemoState } from '../src/demo-state.ts';
import { runDemo } from '../src/run-demo.ts';
import { waitUntil } from '../src/wait-until.ts';

const responseWithCookies = (...cookies: string[]) => {
  const headers = new Headers();
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { headers });
};

it('sends the newest value of each cookie until it is deleted', () => {
  const jar = openCookieJar();
  expect(jar.header()).toBe('');
  jar.save(responseWithCookies('session=a%3D=b; Path=/; HttpOnly', 'theme=dark'));
  expect(jar.header()).toBe('session=a%3D=b; theme=dark');
  jar.save(responseWithCookies('session=c; Max-Age=60'));
  expect(jar.header()).toBe('session=c; theme=dark');
  jar.save(responseWithCookies('session=; max-age=0'));
  expect(jar.header()).toBe('theme=dark');
});

it('loads its saved state, which only its owner can read', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'deep', 'demo.json');
  expect(await loadState(file)).toBeUndefined();
  await saveState(file, state);
  expect(await loadState(file)).toEqual(state);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder.path, 'deep'))).toEqual(['demo.json']);
});

it.each(['', 'not JSON', '{}', '{"teamId":"team_x"}'])('ignores the invalid state file %j', async content => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'demo.json');
  await writeFile(file, content);
  expect(await loadState(file)).toBeUndefined();
});

it('polls until there is a result', async () => {
  let attempts = 0;
  const check = async () => (++attempts < 3 ? { lastSeen: attempts } : { result: attempts });
  expect(await waitUntil('the third attempt', 5_000, check)).toBe(3);
});

it('names what did not happen in time and what was last seen', async () => {
  const waiting = waitUntil('an active subscription', 150, async () => ({ lastSeen: [{ status: 'incomplete' }] }));
  await expect(waiting).rejects.toThrow(
    'Waited 0.15 s for an active subscription. Last seen: [{"status":"incomplete"}].',
  );
});

const state: DemoState = {
  user: { email: 'demo@example.com', password: 'secret' },
  teamId: TeamId.create(),
  projectId: ProjectId.create(),
  apiKeyId: ApiKeyId.create(),
  apiKey: 'bil_test_x',
  processorKey: 'sk_test_x',
  webhookEndpointId: 'we_1',
  priceId: PriceId.create(),
  upgradePriceId: PriceId.create(),
  referrerId: CustomerId.create(),
  refereeId: CustomerId.create(),
  subscriptionId: SubscriptionId.create(),
};

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'billing-demo-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

it('names the step that failed', async () => {
  await using folder = await temporaryFolder();
  const steps: string[] = [];
  const demo = runDemo({
    gatewayUrl: 'http://gateway.example',
    processorUrl: 'http://processor.example',
    stateFile: join(folder.path, 'demo.json'),
    report: step => steps.push(step),
    fetch: async () =>
      Response.json({ error: { code: 'rate_limited', message: 'Slow down.', requestId: 'r' } }, { status: 429 }),
  });
  await expect(demo).rejects.toThrow(
    /^While signing up demo-\w+@example\.com: POST \/api\/auth\/sign-up\/email returned 429: rate_limited Slow down\.$/,
  );
  expect(steps).toHaveLength(1);
  expect(await readdir(folder.path)).toEqual([]);
});
