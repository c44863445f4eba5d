import { execFileSync } from 'node:child_process';

/** Resident bytes of a process, as `ps` tells it. */
export function residentBytesOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }).trim()) * 1_024;
}
