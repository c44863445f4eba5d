import { BillingClient } from '@billing/client';
import { allOperations } from '@billing/contracts/operations/index';
import { expect, it } from 'vitest';
import { describeApi } from '#docs/document.ts';
// Modules of the page, which browsers load as they are.
import { clientSnippet } from '../src/docs/page/browser/client-snippet.js';
import { documentHere, exampleRequest, operationOf } from '../src/docs/page/browser/document.js';

const ORIGIN = 'http://billing.example';
const api = documentHere(
  describeApi({ operations: allOperations, publicUrl: 'https://other.example', sessionCookie: 'session' }),
  ORIGIN,
);
const ofProjects = allOperations
  .filter(({ access }) => access.kind === 'project')
  .map(({ id, method, path }) => ({ id, method, path: path.replaceAll(/:(\w+)/g, '{$1}') }));

it.each(ofProjects)('calls $id by the client as its example does by HTTP', async ({ method, path }) => {
  const example = exampleRequest(api, path, method.toLowerCase());
  const body: unknown = example.body && JSON.parse(example.body);
  const sent = await run(clientSnippet({ ...operationOf(api, { ...example, body }), baseUrl: ORIGIN }));
  // The client has methods of its own for a cancellation and for stopping a sync.
  expect(sent).toEqual({ url: sent.url, method, ...(body !== undefined && { body }) });
  expect(pathAndQuery(sent.url)).toEqual(pathAndQuery(example.url));
});

it('takes a cancellation back by the client’s own method', async () => {
  const url = `${ORIGIN}/api/service/teams/team_1/projects/proj_1/subscriptions/ps_1`;
  const request = { url, method: 'PATCH', body: { cancelAtPeriodEnd: false } };
  const snippet = clientSnippet({ ...operationOf(api, request), baseUrl: ORIGIN });
  expect(snippet).toContain(`billing.subscriptions.resume('ps_1')`);
});

it('reads the state of a customer by the tenant’s own id, of some features', async () => {
  const url = `${ORIGIN}/api/service/teams/team_1/projects/proj_1/customers/external/u1/state?features=a%2Cb&waitMs=5`;
  const snippet = clientSnippet({ ...operationOf(api, { url, method: 'GET', body: undefined }), baseUrl: ORIGIN });
  expect(snippet).toContain(`billing.states.get({ externalId: 'u1' }, { features: ['a', 'b']`);
  expect(pathAndQuery((await run(snippet)).url)).toEqual(pathAndQuery(url));
});

it('writes texts so that they stay texts', () => {
  const body = { name: `a'b"c\\d\n`, metadata: { 'two words': '</script>' } };
  const snippet = clientSnippet({ call: 'products.create(body)', baseUrl: ORIGIN, params: {}, query: {}, body });
  expect(snippet).toContain(String.raw`{ name: 'a\'b"c\\d\n', metadata: { 'two words': '</script>' } }`);
});

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly body?: unknown;
}

/** Runs a snippet with the real client; returns the request that it sends. */
async function run(snippet: string): Promise<Sent> {
  const requests: Sent[] = [];
  class Client extends BillingClient {
    constructor(options: ConstructorParameters<typeof BillingClient>[0]) {
      super({
        ...options,
        fetch: async (url, init) => {
          const body = typeof init?.body === 'string' ? { body: JSON.parse(init.body) as unknown } : {};
          requests.push({ url: new Request(url).url, method: init?.method, ...body });
          return Response.json({ pagination: {}, subscription: {} });
        },
      });
    }
  }
  const [, code = ''] = /^import \{ BillingClient \} from '@billing\/client';\n([\s\S]+)$/.exec(snippet) ?? [];
  // eslint-disable-next-line typescript/no-implied-eval -- the snippet is code, and this test is what shows that it works
  const execute = new Function('BillingClient', 'console', `return (async () => {${code}\n})()`) as Execute;
  await execute(Client, { log: () => {} });
  expect(requests).toHaveLength(1);
  return requests[0] ?? { url: '', method: undefined };
}

type Execute = (client: typeof BillingClient, console: { readonly log: () => void }) => Promise<void>;

function pathAndQuery(url: string) {
  const { pathname, searchParams } = new URL(url);
  return { pathname, query: Object.fromEntries(searchParams) };
}
