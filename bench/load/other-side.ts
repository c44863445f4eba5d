import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Our services' memory settings, which the other side gets unless it is measured with Node's own. */
const AS_OURS = ['--max-old-space-size=256'];

/**
 * Starts the other side in its own process. Its first message says that it is ready; when it serves HTTP, it has the `url`.
 * @throws Error when the process ends before
 */
export async function startOtherSide(
  path: string,
  args: readonly string[],
  execArgv: readonly string[] = AS_OURS,
): Promise<AsyncDisposable & { readonly url: string }> {
  const started = fork(path, args, { execArgv: [...execArgv], env: { ...process.env, NODE_ENV: 'production' } });
  const ended = once(started, 'exit').then(() => Promise.reject(new Error(`${path} did not start.`)));
  const [{ url }] = (await Promise.race([once(started, 'message'), ended])) as [{ url: string }]; // what it sends
  ended.catch(() => undefined);
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (started.exitCode === null && started.kill()) await once(started, 'exit');
    },
  };
}
