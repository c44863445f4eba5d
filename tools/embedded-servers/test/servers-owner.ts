// A process that owns both servers, for tests that kill it. It prints the pids as one line of JSON and waits.
import { startNats } from '../src/nats.ts';
import { startPostgres } from '../src/postgres.ts';
import { startProcessGuard } from '../src/process-guard.ts';

const folder = process.argv[2] ?? '.';
const guard = startProcessGuard();
const shared = { password: 'secret', guard, durable: false };
const postgres = await startPostgres({
  ...shared,
  dataDir: `${folder}/postgres`,
  logFile: `${folder}/postgres.log`,
});
const nats = await startNats({ ...shared, storeDir: `${folder}/nats`, logFile: `${folder}/nats.log` });
console.log(JSON.stringify({ pids: [postgres.pid, nats.pid] }));
process.stdin.resume();
