import type { AuditEntry } from '@billing/client';
import { changesText, customer, fieldText, say, type Named, type Sentence } from '../events/sentence.ts';
import { ACTIONS } from './audit-actions.ts';

const ACTORS: Readonly<Record<AuditEntry['actor']['type'], string>> = {
  user: 'Somebody',
  key: 'A key',
  customer: 'A customer',
  operator: 'An operator',
  system: 'The system',
};

/** Returns who made an entry: by name where that is known. */
function actorOf({ actor: { type, id, name } }: Pick<AuditEntry, 'actor'>): Sentence {
  if (type === 'customer' && id !== null) return [customer(id)];
  if (name !== null) return [type === 'key' ? `The key ${name}` : name];
  return [ACTORS[type]];
}

const PASTS: Readonly<Record<string, string>> = {
  set: 'set',
  give: 'gave',
  take: 'took',
  withdraw: 'withdrew',
  send: 'sent',
  drop: 'dropped',
  stop: 'stopped',
};

/** Returns "remove the key" as "removed the key". */
function inPast(words: string): string {
  const [verb = '', ...rest] = words.split(' ');
  const regular = verb.endsWith('e') ? `${verb}d` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${verb}ed`;
  return [PASTS[verb] ?? regular, ...rest].join(' ');
}

const LOOKED_UP = new Set<string>(['customer', 'product', 'price', 'subscription', 'invoice'] satisfies Named['of'][]);
/** Where a record's own name stands among the fields that it was created with. */
const NAMES = ['name', 'code', 'key'];

function targetOf({ target, changes }: AuditEntry): string | Named | undefined {
  if (!target) return undefined;
  const { type, id, name } = target;
  if (name !== null) return name;
  if (type === 'referral_code') return id;
  if (LOOKED_UP.has(type)) return { of: type as Named['of'], id }; // as the set has it
  const given = NAMES.map(field => changes.find(change => change.field === field)?.to).find(Boolean);
  return typeof given === 'string' ? given : undefined;
}

/** Amounts are in the currency of what they belong to, which an entry does not name. */
const isTold = ({ field, from }: AuditEntry['changes'][number]): boolean => from !== null && !/amount/i.test(field);

/**
 * Says who did what, from what an entry holds: "Ada removed the key backend". An action that is not known here is called by its
 * name: "Ada: launch rocket".
 */
export function auditSentence(entry: AuditEntry): Sentence {
  const { action, outcome, changes } = entry;
  const words = ACTIONS[action];
  if (words === undefined) return say`${actorOf(entry)}: ${fieldText(action)}`;
  const told = outcome === 'refused' ? `tried to ${words}` : inPast(words);
  const [before = '', after] = told
    .replaceAll(/ ?\{(\w+)\}/g, (_whole, field: string) => valueIn(changes, field))
    .split('{}');
  const what = after === undefined ? '' : (targetOf(entry) ?? '');
  const known = changes.filter(isTold);
  const how = known.length > 0 ? `: ${changesText(known)}` : '';
  return say`${actorOf(entry)} ${what === '' ? before.trimEnd() : before}${what}${after ?? ''}${how}`;
}

function valueIn(changes: AuditEntry['changes'], field: string): string {
  const to = changes.find(change => change.field === field)?.to;
  return typeof to === 'string' ? ` ${to}` : '';
}
