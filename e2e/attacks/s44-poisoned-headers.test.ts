import { randomBytes } from 'node:crypto';
import { emptyObject, startReceiver, type Received, type Receiver } from '@billing/testing/receiver';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { exportTracesTo, startGatewayCopy, type GatewayCopy } from '../system/gateway-copy.ts';
import { newTenant, type Tenant } from '../system/tenant.ts';

/*
 * The gateway starts a trace of its own for each request: a caller's `traceparent` is neither continued nor obeyed about
 * sampling, and `tracestate` and `baggage` go nowhere. Two copies of the gateway with telemetry send to a stand-in for the
 * services, which shows what these receive: one samples every trace, the other one none.
 */

const MARK = `poison${randomBytes(8).toString('hex')}`;

const open = new AsyncDisposableStack();
let services: Receiver;
let collector: Receiver;
let sampling: GatewayCopy;
let notSampling: GatewayCopy;
let tenant: Tenant;
beforeAll(async () => {
  [services, collector] = [open.use(await startReceiver(emptyObject)), open.use(await startReceiver(emptyObject))];
  const { origin: url } = services;
  const variables = { ...exportTracesTo(collector.origin), CATALOG_URL: url, PORTAL_URL: url, WEBHOOKS_URL: url };
  const start = async (sampler: Record<string, string>) =>
    open.adopt(await startGatewayCopy(inject('dataDir'), { ...variables, ...sampler }), copy => copy.stop());
  [sampling, notSampling, tenant] = await Promise.all([
    start({}),
    start({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }),
    newTenant(),
  ]);
});
afterAll(() => open.disposeAsync());

const newTraceId = () => randomBytes(16).toString('hex');

/** Headers in which tracing systems look for a trace, all of them with this one and with words of the caller's. */
const poisoned = (traceId: string, flags: string): Record<string, string> => ({
  traceparent: `00-${traceId}-b7ad6b7169203331-${flags}`,
  tracestate: `vendor=${MARK}`,
  baggage: `user=${MARK},team=${MARK}`,
  'correlation-context': `user=${MARK}`,
  b3: `${traceId}-b7ad6b7169203331-1`,
  'x-b3-traceid': traceId,
  'x-b3-sampled': '1',
  'x-b3-flags': '1',
  'uber-trace-id': `${traceId}:b7ad6b7169203331:0:1`,
  'x-amzn-trace-id': `Root=1-${traceId};Sampled=1`,
  'x-cloud-trace-context': `${traceId}/1;o=1`,
  'sentry-trace': `${traceId}-b7ad6b7169203331-1`,
  'x-datadog-trace-id': MARK,
});

/** Sends requests of every kind that the gateway forwards, and returns what the services received of them. */
async function forwardedOf({ url }: GatewayCopy, headers: Record<string, string>): Promise<Received[]> {
  const before = services.received.length;
  const { P, teamId, secret } = tenant;
  const own = { ...headers, authorization: `Bearer ${secret}` };
  const json = { ...own, 'content-type': 'application/json' };
  await Promise.all([
    fetch(`${url}${P}/products`, { headers: own }),
    fetch(`${url}${P}/products`, { method: 'POST', headers: json, body: '{}' }),
    fetch(`${url}/portal/x`, { headers }),
    fetch(`${url}/api/webhooks/processor/${teamId}`, { method: 'POST', headers: json, body: '{}' }),
  ]);
  return services.received.slice(before).filter(({ path }) => !path.startsWith('/health/'));
}

/** The traces that the services get: of a webhook in the body, since webhooks travel together. */
const traceparentsOf = (requests: readonly Received[]): string[] =>
  requests.map(
    ({ headers: { traceparent }, body }) => /"traceparent":"([^"]+)"/.exec(body)?.[1] ?? String(traceparent),
  );
const traceIdOf = (traceparent: string): string => traceparent.split('-')[1] ?? '';
const flagsOf = (traceparent: string): string | undefined => traceparent.split('-')[3];

describe('a trace that a caller invents', () => {
  it('S44: the services get a trace of the gateway’s own, and neither a caller’s trace, tracestate nor baggage', async () => {
    const traceId = newTraceId();
    const requests = await forwardedOf(sampling, poisoned(traceId, '01'));
    expect(requests).toHaveLength(4);
    const everything = JSON.stringify(requests);
    expect(everything).not.toContain(MARK);
    expect(everything).not.toContain(traceId);
    const names = new Set(requests.flatMap(({ headers }) => Object.keys(headers)));
    for (const name of Object.keys(poisoned('', ''))) expect(names.has(name), name).toBe(name === 'traceparent');
    const traceIds = traceparentsOf(requests).map(traceIdOf);
    expect(traceIds).toEqual(traceIds.map(() => expect.stringMatching(/^[0-9a-f]{32}$/)));
    expect(new Set(traceIds).size).toBe(requests.length);
  });

  it('S44: a caller neither forces the sampling of a trace nor escapes it', async () => {
    const [forced, escaping] = [newTraceId(), newTraceId()];
    const notSampled = traceparentsOf(await forwardedOf(notSampling, poisoned(forced, '01')));
    expect(new Set(notSampled.map(flagsOf))).toEqual(new Set(['00']));
    const sampled = traceparentsOf(await forwardedOf(sampling, poisoned(escaping, '00')));
    expect(new Set(sampled.map(flagsOf))).toEqual(new Set(['01']));
    const own = sampled.map(traceIdOf);
    await waitFor(() => own.every(id => collector.received.some(({ body }) => body.includes(id))), {
      what: 'the spans of the sampled requests',
    });
    for (const foreign of [forced, escaping, MARK]) expect(JSON.stringify(collector.received)).not.toContain(foreign);
  });
});
