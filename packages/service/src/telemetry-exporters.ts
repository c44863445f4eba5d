/** The standard variables that name an exporter of each signal, with the endpoint that this signal alone may have. */
const SIGNALS = {
  OTEL_TRACES_EXPORTER: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  OTEL_METRICS_EXPORTER: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
} as const;

/** The exporters of a process, as the SDK reads them. */
export type Exporters = Readonly<Record<keyof typeof SIGNALS | 'OTEL_LOGS_EXPORTER', string>>;

/**
 * Returns which exporters the environment asks for; undefined when it asks for none. A signal goes to `otlp` when it has an
 * endpoint, unless its own variable says otherwise (`OTEL_METRICS_EXPORTER=prometheus`, `otlp,prometheus`, `none`). Logs
 * are lines on stdout and never exported.
 */
export function exportersIn(env: NodeJS.ProcessEnv): Exporters | undefined {
  if (env['OTEL_SDK_DISABLED'] === 'true') return undefined;
  const exporterOf = (signal: keyof typeof SIGNALS) => {
    const hasEndpoint = Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env[SIGNALS[signal]]);
    return env[signal] || (hasEndpoint ? 'otlp' : 'none');
  };
  const traces = exporterOf('OTEL_TRACES_EXPORTER');
  const metrics = exporterOf('OTEL_METRICS_EXPORTER');
  if (traces === 'none' && metrics === 'none') return undefined;
  return { OTEL_TRACES_EXPORTER: traces, OTEL_METRICS_EXPORTER: metrics, OTEL_LOGS_EXPORTER: 'none' };
}
