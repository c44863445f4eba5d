import type { NodeSDK } from '@opentelemetry/sdk-node';
import { exportersIn } from './telemetry-exporters.ts';
import { openTokenBucket } from './token-bucket.ts';

let sdk: NodeSDK | undefined;

/** How often the delay of the event loop is measured: each time wakes the process, even when it has nothing to do. */
const EVENT_LOOP_PRECISION_MS = 100;

/**
 * Starts traces and metrics of a service when OpenTelemetry's standard variables name an exporter; otherwise does nothing. It
 * must run before the service creates its metrics, not before its modules are loaded: no library is patched, the services
 * make the spans of requests, statements and messages themselves. Unless `OTEL_TRACES_SAMPLER` names a sampler, every trace of
 * ordinary traffic is sampled, and few of a flood (`limited-sampler.ts`).
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function startTelemetry(service: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const exporters = exportersIn(env);
  if (!exporters) return;
  // The SDK reads the variables itself.
  Object.assign(process.env, exporters);
  const [{ NodeSDK }, { RuntimeNodeInstrumentation }, { limitedSampler, NEW_TRACES }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-runtime-node'),
    import('./limited-sampler.ts'),
  ]);
  sdk = new NodeSDK({
    serviceName: env['OTEL_SERVICE_NAME'] ?? `billing-${service}`,
    instrumentations: [new RuntimeNodeInstrumentation({ monitoringPrecision: EVENT_LOOP_PRECISION_MS })],
    // A trace travels as `TraceCarrier`.
    textMapPropagator: null,
    ...(!env['OTEL_TRACES_SAMPLER'] && { sampler: limitedSampler(openTokenBucket(NEW_TRACES)) }),
  });
  sdk.start();
}

/** Exports what is buffered and stops. */
export async function stopTelemetry(): Promise<void> {
  await sdk?.shutdown().catch(() => undefined);
  sdk = undefined;
}
