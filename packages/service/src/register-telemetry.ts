import { startTelemetry } from './telemetry.ts';

// The entry point of `node --import`, and the only module whose import has an effect.
await startTelemetry();
