import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Returns the command of Compose, `docker compose` or `docker-compose`, if it reaches a container engine. */
export function findCompose(): readonly string[] | undefined {
  return [['docker', 'compose'], ['docker-compose']].find(([command = '', ...args]) => {
    try {
      execFileSync(command, [...args, 'ls'], { stdio: 'ignore', timeout: 30_000 });
      return true;
    } catch {
      return false;
    }
  });
}

/** A project of docker-compose.yml, apart from any other on this machine. */
export interface ComposeProject {
  /**
   * Runs a command of Compose and returns what it printed.
   * @throws Error with its output when it fails
   */
  compose(...args: readonly string[]): Promise<string>;
  /** Returns what the engine knows about each container of the project. */
  inspect(): Promise<readonly Container[]>;
}

/** What `docker inspect` says. */
interface Container {
  readonly Name: string;
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: readonly string[] | null;
    readonly CapAdd: readonly string[] | null;
    readonly Memory: number;
    readonly PidsLimit: number;
  };
  readonly State: { readonly Status: string; readonly ExitCode: number };
}

/** Opens a project with the variables of a file; starts nothing. */
export function openProject(command: readonly string[], name: string, envFile: string): ComposeProject {
  const [program = '', ...first] = command;
  const options = { cwd: ROOT, timeout: 600_000, maxBuffer: 64 * 1_048_576 };
  const compose = async (...args: readonly string[]) =>
    (await run(program, [...first, '--env-file', envFile, '--project-name', name, ...args], options)).stdout;
  return {
    compose,
    async inspect() {
      const ids = (await compose('ps', '--all', '--quiet')).split('\n').filter(id => id !== '');
      const { stdout } = await run('docker', ['inspect', ...ids], options);
      return JSON.parse(stdout) as Container[]; // documented by the engine
    },
  };
}
