// A program in the place of a service: it tells its environment, writes down when it is stopped, and is ready unless
// the file UNREADY exists.
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';

const { PORT, NAME, JOURNAL = '/dev/null', UNREADY = '', FAIL } = process.env;
if (FAIL !== undefined) {
  console.error(FAIL);
  process.exit(1);
}
const note = (word: string) => appendFileSync(JOURNAL, `${NAME} ${word}\n`);
const server = createServer((request, response) => {
  response.statusCode = request.url === '/health/ready' && existsSync(UNREADY) ? 503 : 200;
  response.end(JSON.stringify(process.env));
});
server.listen(Number(PORT), '127.0.0.1', () => note('started'));
process.on('SIGTERM', () => {
  note('stopped');
  process.exit(0);
});
