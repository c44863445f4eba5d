import type { AuditEntry } from '@billing/client';
import { allOperations } from '@billing/contracts/operations/index';
import { COMMAND_ACTIONS, SIGN_IN_ACTIONS } from '@billing/contracts/resources/audit-entry';
import { expect, it } from 'vitest';
import { textOf } from '../events/sentence.ts';
import { auditSentence } from './audit-sentence.ts';

const ENTRY: AuditEntry = {
  id: 'aud_1',
  actor: { type: 'user', id: 'user_1', name: 'Ada' },
  action: '',
  projectId: 'proj_1',
  requestId: 'req_1',
  address: null,
  at: '2026-03-02T09:30:00.000Z',
  target: null,
  outcome: 'succeeded',
  changes: [],
  count: 1,
};
const tell = (entry: Partial<AuditEntry>): string =>
  textOf(auditSentence({ ...ENTRY, ...entry }), ({ of }) => (of === 'product' || of === 'price' ? 'Pro' : 'Katherine'));

/** Operations that leave an entry: all that write, but what Stripe sends. */
const written = allOperations
  .filter(({ id, method, access }) => method !== 'GET' && !id.startsWith('preview') && access.kind !== 'signature')
  .map(({ id }) => id);

it.each([...written, ...COMMAND_ACTIONS, ...SIGN_IN_ACTIONS.map(action => `auth.${action}`)])(
  'says in a sentence what %s means, done or refused',
  action => {
    for (const target of [null, { type: 'api_key', id: 'key_1', name: 'backend' }] as const) {
      expect(tell({ action, target })).toMatch(/^Ada (?!.*[{}:]|.*  )\w+(?:ed|t|ve|ew|ook)\b.*\w$/);
      expect(tell({ action, target, outcome: 'refused' })).toMatch(/^Ada tried to (?!.*[{}:]|.*  ).*\w$/);
    }
  },
);

it.each<[string, Partial<AuditEntry>]>([
  [
    'Ada removed the key backend',
    { action: 'revokeApiKey', target: { type: 'api_key', id: 'key_1', name: 'backend' } },
  ],
  [
    'Ada changed the product Pro: name from “Starter” to “Pro”',
    {
      action: 'updateProduct',
      target: { type: 'product', id: 'prod_1', name: null },
      changes: [{ field: 'name', from: 'Starter', to: 'Pro' }],
    },
  ],
  [
    'The key backend tried to refund a payment',
    {
      action: 'refundPayment',
      actor: { type: 'key', id: 'key_1', name: 'backend' },
      target: { type: 'payment', id: 'ppay_1', name: null },
      changes: [{ field: 'amountRefunded', from: 0, to: 500 }],
      outcome: 'refused',
    },
  ],
  [
    'Katherine changed the plan of Katherine in the portal: quantity from 3 to 5',
    {
      action: 'changePortalPlan',
      actor: { type: 'customer', id: 'pc_1', name: null },
      target: { type: 'subscription', id: 'ps_1', name: null },
      changes: [{ field: 'quantity', from: 3, to: 5 }],
    },
  ],
  [
    'Ada added Setup to the next invoice of Katherine',
    {
      action: 'createInvoiceItem',
      target: { type: 'subscription', id: 'ps_1', name: null },
      changes: [{ field: 'invoiceItem', from: null, to: 'Setup' }],
    },
  ],
  ['Ada invited a new owner', { action: 'inviteMember', changes: [{ field: 'role', from: null, to: 'owner' }] }],
  ['The system: launch rocket', { action: 'launchRocket', actor: { type: 'system', id: null, name: null } }],
])('says %j', (text, entry) => {
  expect(tell(entry)).toBe(text);
});
