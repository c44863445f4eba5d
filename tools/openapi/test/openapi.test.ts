import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { allOperations } from '@billing/contracts/operations/index';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeApi } from '../../../services/gateway/src/docs/document.ts';

const PACKAGE = join(import.meta.dirname, '..');
/** The programs stand in the folders of both packages, this one first. */
const PATH = [join(PACKAGE, 'node_modules/.bin'), join(PACKAGE, '../../node_modules/.bin'), process.env['PATH']];
const ROOT_TSC = join(PACKAGE, '../../node_modules/.bin/tsc');
const STRICT = '--ignoreConfig --noEmit --strict --target es2024 --module esnext --moduleResolution bundler --types'
  .split(' ')
  .concat('', '--lib', 'es2024,dom,dom.iterable');

const folder = await mkdtemp(join(tmpdir(), 'billing-openapi-'));
const file = (name: string) => join(folder, name);
const document = describeApi({
  operations: allOperations,
  publicUrl: 'https://billing.example',
  sessionCookie: 'billing.session_token',
});

/** Runs a program and returns what it wrote; a failing one rejects with that. */
async function run(program: string, ...args: readonly string[]): Promise<string> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const env = { ...process.env, ...quiet, PATH: PATH.join(':') };
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: PACKAGE, env }).catch(
    (err: { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} failed:\n${err.stdout}${err.stderr}`, { cause: err });
    },
  );
  return `${stdout}${stderr}`;
}

beforeAll(() => writeFile(file('openapi.json'), JSON.stringify(document)));
afterAll(() => rm(folder, { recursive: true }));

it('has no fault that Redocly finds', async () => {
  expect(await run('redocly', 'lint', file('openapi.json'), '--format=stylish', '--max-problems=20')).toContain(
    'valid',
  );
});

/** What a client of ours does with the types: each line compiles only while they are right. */
const USES = {
  'openapi-typescript': `
    import type { components, operations, webhooks } from './types';
    type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
    type Price = components['schemas']['Price'];
    type Config = components['schemas']['PortalConfig'];
    type Received = webhooks['customer.state_changed']['post']['requestBody']['content']['application/json'];`,
  'openapi-ts': `
    import type * as api from './types';
    type Query<_Id> = NonNullable<api.ListCustomersData['query']>;
    type Price = api.Price;
    type Config = api.PortalConfig;
    type Received = api.CustomerStateChangedWebhookPayload;`,
};
const USE = `
  export const query: Query<'listCustomers'> = { cursor: 'eyJsaXN0…', limit: 50, ids: ['pc_1'], createdAfter: '2026-01-01T00:00:00Z' };
  export const amount = (price: Price): number | null => price.unitAmount;
  export const offer = (config: Config): string | undefined => config.cancellation.saveOffer?.promotionCodeId;
  export const statuses = ({ data }: Received): string[] => data?.subscriptions.map(({ status }) => status) ?? [];
`;

it.each([
  ['openapi-typescript', file('openapi.json'), '--output', file('openapi-typescript/types.ts')],
  ['openapi-ts', '--input', file('openapi.json'), '--output', file('openapi-ts/types'), '--no-log-file'],
] as const)('has types by %s that compile and fit what is sent', async (generator, ...args) => {
  await run(generator, ...args);
  await writeFile(file(`${generator}/use.ts`), `${USES[generator]}${USE}`);
  expect(await run(ROOT_TSC, ...STRICT, file(`${generator}/use.ts`))).toBe('');
});
