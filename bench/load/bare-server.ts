import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Starts the other side in its own process, with the memory settings of our services. It sends its `url` when it listens. */
export async function startBareServer(
  path: string,
  args: readonly string[],
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = fork(path, args, {
    execArgv: ['--max-old-space-size=256'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const stop = async () => {
    if (server.exitCode === null && server.kill()) await once(server, 'exit');
  };
  const ended = once(server, 'exit').then(() => Promise.reject(new Error('The bare server did not start.')));
  const [{ url }] = (await Promise.race([once(server, 'message'), ended])) as [{ url: string }]; // what the server sends
  ended.catch(() => undefined);
  return { url, [Symbol.asyncDispose]: stop };
}
