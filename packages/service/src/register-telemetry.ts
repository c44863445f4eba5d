import { startTelemetry } from './telemetry.ts';

// The entry point of `node --import`: the one module whose import does something.
await startTelemetry();
