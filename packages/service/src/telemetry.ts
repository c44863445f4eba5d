import { ClientRequest } from 'node:http';
import type { NodeSDK } from '@opentelemetry/sdk-node';
import { exportersIn } from './telemetry-exporters.ts';

let sdk: NodeSDK | undefined;

/**
 * Starts traces and metrics when OpenTelemetry's standard variables name an exporter; otherwise does nothing. It must run
 * before the instrumented libraries are loaded: start the process with `--import @billing/service/register-telemetry`.
 * Span names and URLs are route templates, because a portal's path contains its token. Each request that reaches the gateway
 * starts a trace of its own, whatever its sender writes into `traceparent`, `tracestate` and `baggage`.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function startTelemetry(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const exporters = exportersIn(env);
  if (!exporters) return;
  // The SDK reads the variables itself.
  Object.assign(process.env, exporters);
  const [
    { NodeSDK },
    { HttpInstrumentation },
    { PgInstrumentation },
    { FastifyOtelInstrumentation },
    { RuntimeNodeInstrumentation },
  ] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-pg'),
    import('@fastify/otel'),
    import('@opentelemetry/instrumentation-runtime-node'),
  ]);
  const { pathWithoutIds } = await import('@billing/contracts/path-without-ids');
  const { templatedPath } = await import('./templated-path.ts');
  const { tracePropagator } = await import('./trace-propagator.ts');
  const service = folderOf(process.argv[1] ?? '');
  sdk = new NodeSDK({
    serviceName: env['OTEL_SERVICE_NAME'] ?? `billing-${service}`,
    textMapPropagator: tracePropagator({ isPublic: service === 'gateway' }),
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: request => /^\/(?:health\/|metrics$)/.test(request.url ?? ''),
        startIncomingSpanHook: request => pathAttributes(templatedPath(request.url ?? '/')),
        startOutgoingSpanHook: request => pathAttributes(templatedPath(request.path ?? '/')),
        applyCustomAttributesOnSpan: (span, request) => {
          const isOutgoing = request instanceof ClientRequest;
          const path = templatedPath((isOutgoing ? request.path : request.url) ?? '/');
          span.setAttributes(pathAttributes(path));
          if (isOutgoing) span.updateName(`${request.method} ${pathWithoutIds(path)}`);
        },
      }),
      new PgInstrumentation({
        requireParentSpan: true,
        // The SQL text may contain values: customers' data, URLs with tokens.
        requestHook: span => span.setAttributes({ 'db.query.text': '', 'db.statement': '' }),
      }),
      new FastifyOtelInstrumentation({
        registerOnInitialization: true,
        instrumentHooks: false,
        // An error's message may contain SQL with values.
        recordExceptions: false,
        requestHook: (span, request) => void span.setAttributes(pathAttributes(templatedPath(request.url))),
      }),
      new RuntimeNodeInstrumentation(),
    ],
  });
  sdk.start();
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
