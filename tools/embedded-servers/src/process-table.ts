import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Returns the command line of a process; empty when there is no such process. */
export function commandLineOf(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', `${pid}`], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}

/** Returns the pid of the npm that started this process, directly or through a shell; undefined without npm. */
export function findParentNpm(): number | undefined {
  if (process.env['npm_lifecycle_event'] === undefined) return undefined;
  const isNpm = (pid: number) => /(^|\/|\s)npm(-cli\.js)?(\s|$)/.test(commandLineOf(pid));
  return [process.ppid, parentOf(process.ppid)].find(pid => pid > 1 && isNpm(pid));
}

/** Returns whether a process with this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns 0 when there is no such process. */
function parentOf(pid: number): number {
  try {
    if (!existsSync('/proc/self/stat'))
      return Number(execFileSync('ps', ['-o', 'ppid=', '-p', `${pid}`], { encoding: 'utf8', stdio: 'pipe' }));
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may itself contain spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
