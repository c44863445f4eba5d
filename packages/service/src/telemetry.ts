import { ClientRequest } from 'node:http';
import type { NodeSDK } from '@opentelemetry/sdk-node';
import { exportersIn } from './telemetry-exporters.ts';

let sdk: NodeSDK | undefined;

/** How often the delay of the event loop is measured: each time wakes the process, even when it has nothing to do. */
const EVENT_LOOP_PRECISION_MS = 100;

/**
 * Starts traces and metrics when OpenTelemetry's standard variables name an exporter; otherwise does nothing. It must run
 * before the instrumented libraries are loaded: start the process with `--import @billing/service/register-telemetry`.
 * Span names and URLs are route templates, because a portal's path contains its token. Each request that reaches the gateway
 * starts a trace of its own, whatever its sender writes into `traceparent`, `tracestate` and `baggage`. Unless
 * `OTEL_TRACES_SAMPLER` names a sampler, every trace of ordinary traffic is sampled, and few of a flood (`trace-limit.ts`);
 * for what is not, the instrumented libraries do nothing, and their own metrics are left out.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function startTelemetry(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const exporters = exportersIn(env);
  if (!exporters) return;
  // The SDK reads the variables itself.
  Object.assign(process.env, exporters);
  const [{ NodeSDK }, { RuntimeNodeInstrumentation }, { createNoopMeter }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-runtime-node'),
    import('@opentelemetry/api'),
  ]);
  const service = folderOf(process.argv[1] ?? '');
  const tracing = exporters.OTEL_TRACES_EXPORTER === 'none' ? undefined : await startTracing(service, env);
  sdk = new NodeSDK({
    serviceName: env['OTEL_SERVICE_NAME'] ?? `billing-${service}`,
    ...tracing,
    instrumentations: [
      new RuntimeNodeInstrumentation({ monitoringPrecision: EVENT_LOOP_PRECISION_MS }),
      ...(tracing?.instrumentations ?? []),
    ],
  });
  sdk.start();
  // The services measure requests and statements themselves, traced or not.
  const noMeters = { getMeter: createNoopMeter };
  for (const instrumentation of tracing?.instrumentations ?? []) instrumentation.setMeterProvider(noMeters);
}

/** Prepares what traces need: how they travel, which are recorded, and the libraries whose work they show. */
async function startTracing(service: string, env: NodeJS.ProcessEnv) {
  const [{ HttpInstrumentation }, { PgInstrumentation }] = await Promise.all([
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-pg'),
  ]);
  const { context } = await import('@opentelemetry/api');
  const { isTracingSuppressed } = await import('@opentelemetry/core');
  const { ContextManager } = await import('./context-manager.ts');
  const { pathWithoutIds } = await import('@billing/contracts/path-without-ids');
  const { openTraceLimit } = await import('@billing/messaging/trace-limit');
  const { limitedSampler } = await import('./limited-sampler.ts');
  const { openRequestSampling } = await import('./request-sampling.ts');
  const { templatedPath } = await import('./templated-path.ts');
  const { tracePropagator } = await import('./trace-propagator.ts');
  const isPublic = service === 'gateway';
  const hasOwnSampler = Boolean(env['OTEL_TRACES_SAMPLER']);
  const { isTraced, mayBegin } = openRequestSampling(openTraceLimit(), { isPublic });
  return {
    contextManager: new ContextManager(),
    textMapPropagator: tracePropagator({ isPublic }),
    ...(!hasOwnSampler && { sampler: limitedSampler(mayBegin) }),
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: request =>
          /^\/(?:health\/|metrics$)/.test(request.url ?? '') || !(hasOwnSampler || isTraced(request)),
        ignoreOutgoingRequestHook: () => isTracingSuppressed(context.active()),
        startIncomingSpanHook: request => pathAttributes(templatedPath(request.url ?? '/')),
        startOutgoingSpanHook: request => pathAttributes(templatedPath(request.path ?? '/')),
        applyCustomAttributesOnSpan: (span, request) => {
          if (!span.isRecording()) return;
          const isOutgoing = request instanceof ClientRequest;
          const path = templatedPath((isOutgoing ? request.path : request.url) ?? '/');
          span.setAttributes(pathAttributes(path));
          if (isOutgoing) span.updateName(`${request.method} ${pathWithoutIds(path)}`);
        },
      }),
      new PgInstrumentation({
        requireParentSpan: true,
        // The SQL text may contain values: customers' data, URLs with tokens.
        requestHook: span => span.isRecording() && span.setAttributes({ 'db.query.text': '', 'db.statement': '' }),
      }),
    ],
  };
}

/** Exports what is buffered and stops. */
export async function stopTelemetry(): Promise<void> {
  await sdk?.shutdown().catch(() => undefined);
  sdk = undefined;
}

function pathAttributes(path: string) {
  return { 'http.target': path, 'http.url': path, 'url.path': path, 'url.full': path, 'url.query': '' };
}

/** Returns `catalog` for `…/catalog/src/main.ts`. */
function folderOf(entry: string): string {
  return entry.split(/[\\/]/).at(-3) ?? 'unknown';
}
