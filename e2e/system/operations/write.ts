import type { AuditTargetType } from '@billing/contracts/resources/audit-entry';
import type { ApiResponse, Caller } from '../http.ts';
import type { Tenant, User } from '../tenant.ts';
import type { Resources } from './resources.ts';

/** What example writes work on; each of them may use up only what it creates itself. */
export interface Prepared {
  readonly tenant: Tenant;
  /** A team of the same owner, whose account may be disconnected. */
  readonly other: Tenant;
  readonly resources: Resources & { readonly token: string };
  /** Someone else, who is no member yet. */
  readonly guest: User;
  /** The customer's browser. */
  readonly visitor: Caller;
}

/** One write, sent by its usual caller, and what its entry must say. */
export interface Write {
  readonly by: 'user' | 'guest' | 'key' | 'customer';
  readonly send: () => Promise<ApiResponse>;
  readonly target: (body: ApiResponse['body']) => { readonly type: AuditTargetType; readonly id: string };
  /** The path of the team in whose log the entry is; the tenant's unless given. */
  readonly teamPath?: (body: ApiResponse['body']) => string;
  /** Whether it is about the whole team, or another one. */
  readonly hasNoProject?: boolean;
}

/** Makes ready what a write needs. */
export type PrepareWrite = (prepared: Prepared) => Write | Promise<Write>;

/** Says what is written to, whatever the response. */
export const is = (type: AuditTargetType, id: string) => () => ({ type, id });
export const byKey = (send: Write['send'], target: Write['target']): Write => ({ by: 'key', send, target });
export const byUser = (send: Write['send'], target: Write['target'], more: Partial<Write> = {}): Write => ({
  by: 'user',
  send,
  target,
  ...more,
});
