// A stand-in for a service: it responds with its environment, logs when it starts and stops, and is ready unless the
// file UNREADY exists.
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';

const { PORT, NAME, LIFECYCLE_LOG = '/dev/null', UNREADY = '', FAIL } = process.env;
if (FAIL !== undefined) {
  console.error(FAIL);
  process.exit(1);
}
const log = (change: string) => appendFileSync(LIFECYCLE_LOG, `${NAME} ${change}\n`);
const server = createServer((request, response) => {
  response.statusCode = request.url === '/health/ready' && existsSync(UNREADY) ? 503 : 200;
  response.end(JSON.stringify(process.env));
});
server.listen(Number(PORT), '127.0.0.1', () => log('started'));
process.on('SIGTERM', () => {
  log('stopped');
  process.exit(0);
});
