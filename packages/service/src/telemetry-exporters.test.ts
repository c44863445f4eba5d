import { describe, expect, it } from 'vitest';
import { exportersIn } from './telemetry-exporters.ts';

const endpoint = 'http://collector:4318';

describe('the exporters of a process', () => {
  it.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }, undefined],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, ['otlp', 'otlp']],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, ['otlp', 'none']],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }, ['none', 'otlp']],
    [{ OTEL_METRICS_EXPORTER: 'prometheus' }, ['none', 'prometheus']],
    [{ OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, ['otlp', 'prometheus']],
  ])('%j gives %j', (env, expected) => {
    const [traces, metrics] = expected ?? [];
    expect(exportersIn(env)).toEqual(
      expected && { OTEL_TRACES_EXPORTER: traces, OTEL_METRICS_EXPORTER: metrics, OTEL_LOGS_EXPORTER: 'none' },
    );
  });
});
