// A process that owns a system of stand-ins, for tests that signal or kill it. It prints `ready` and waits.
import { startLocalSystem } from '../src/local-system.ts';
import { planStandIns } from './stand-in-system.ts';

const system = await startLocalSystem({
  dataDir: process.argv[2] ?? '.',
  planPrograms: planStandIns(),
});
// Registered before `ready` lets the test send the signal.
process.on('SIGTERM', () => void system.stop());
console.log('ready');
