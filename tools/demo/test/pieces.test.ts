import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ApiKeyId, CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import { openCookieJar } from '../src/cookie-jar.ts';
import { loadState, saveState, type DemoState } from '../src/demo-state.ts';
import { runDemo } from '../src/run-demo.ts';
import { until } from '../src/until.ts';

const answerThatSets = (...cookies: string[]) => {
  const headers = new Headers();
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { headers });
};

it('sends cookies back, the newest value of each, until they are taken away', () => {
  const jar = openCookieJar();
  expect(jar.header()).toBe('');
  jar.keep(answerThatSets('session=a%3D=b; Path=/; HttpOnly', 'theme=dark'));
  expect(jar.header()).toBe('session=a%3D=b; theme=dark');
  jar.keep(answerThatSets('session=c; Max-Age=60'));
  expect(jar.header()).toBe('session=c; theme=dark');
  jar.keep(answerThatSets('session=; max-age=0'));
  expect(jar.header()).toBe('theme=dark');
});

it('finds its state again, which only its owner can read', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'deep', 'demo.json');
  expect(await loadState(file)).toBeUndefined();
  await saveState(file, state);
  expect(await loadState(file)).toEqual(state);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder.path, 'deep'))).toEqual(['demo.json']);
});

it.each(['', 'not JSON', '{}', '{"teamId":"team_x"}'])('takes the state file %j for none', async content => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'demo.json');
  await writeFile(file, content);
  expect(await loadState(file)).toBeUndefined();
});

it('waits until something is found', async () => {
  let looks = 0;
  const look = async () => (++looks < 3 ? { seen: looks } : { found: looks });
  expect(await until('the third look', 5_000, look)).toBe(3);
});

it('says what did not happen in time, and what was there instead', async () => {
  const waiting = until('the subscription becoming active', 150, async () => ({ seen: [{ status: 'incomplete' }] }));
  await expect(waiting).rejects.toThrow(
    'Waited 0.15 s, but the subscription becoming active did not happen. Seen last: [{"status":"incomplete"}].',
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
  referrerId: CustomerId.create(),
  refereeId: CustomerId.create(),
  subscriptionId: SubscriptionId.create(),
};

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'billing-demo-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

it('says at which step it failed', async () => {
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
    /^While signing up demo-\w+@example\.com: POST \/api\/auth\/sign-up\/email answered 429: rate_limited Slow down\.$/,
  );
  expect(steps).toHaveLength(1);
  expect(await readdir(folder.path)).toEqual([]);
});
