import { OLDEST_POSTGRES } from '@billing/database/connection';
import type { Finding } from '../finding.ts';

/** The versions that were found; null for what was not reached. */
export interface Versions {
  readonly node: string;
  /** As PostgreSQL numbers them: 180002. */
  readonly postgres: number | null;
  /** Null also when it is new enough. */
  readonly oldNats: string | null;
}

/** Node runs TypeScript files without a flag from here on. */
const OLDEST_NODE = [24, 12] as const;

/** Finds programs that are older than what is supported. */
export function checkVersions({ node, postgres, oldNats }: Versions): Finding[] {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isOldNode = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const isOldPostgres = postgres !== null && postgres < OLDEST_POSTGRES * 10_000;
  return [
    ...(isOldNode ? [tooOld('node', node, OLDEST_NODE.join('.'))] : []),
    ...(isOldPostgres ? [tooOld('postgres', String(postgres / 10_000), String(OLDEST_POSTGRES))] : []),
    ...(oldNats === null ? [] : [tooOld('nats', oldNats, '2.10')]),
  ];
}

const tooOld = (subject: string, version: string, oldest: string): Finding => ({
  check: 'version-too-old',
  subject,
  problem: `${subject} has version ${version}; ${oldest} is the oldest that is supported.`,
  action: `Install ${subject} ${oldest} or newer.`,
});
