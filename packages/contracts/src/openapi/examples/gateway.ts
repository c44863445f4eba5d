import type { z } from 'zod';
import type { apiKey } from '../../resources/api-key.ts';
import type { auditEntry } from '../../resources/audit-entry.ts';
import type { deadLetter } from '../../resources/dead-letter.ts';
import type { invitation, member, project, team } from '../../resources/team.ts';
import { createdAt, exampleIds, updatedAt } from './shared.ts';

export const exampleTeam = { id: exampleIds.team, name: 'Acme', createdAt } as const satisfies z.input<typeof team>;

export const exampleMember = {
  userId: exampleIds.user,
  email: 'grace@acme.example',
  name: 'Grace Hopper',
  role: 'member',
  createdAt,
} as const satisfies z.input<typeof member>;

export const exampleInvitation = {
  id: exampleIds.invitation,
  email: 'lin@acme.example',
  role: 'member',
  invitedBy: exampleIds.user,
  expiresAt: '2026-03-09T09:30:00.000Z',
  createdAt,
} as const satisfies z.input<typeof invitation>;

export const exampleProject = {
  id: exampleIds.project,
  teamId: exampleIds.team,
  name: 'Shop',
  baseCurrency: 'usd',
  createdAt,
} as const satisfies z.input<typeof project>;

export const exampleAuditEntry = {
  id: exampleIds.auditEntry,
  at: updatedAt,
  actor: { type: 'user', id: exampleIds.user },
  action: 'updateProject',
  projectId: exampleIds.project,
  target: { type: 'project', id: exampleIds.project },
  requestId: '3f6c1f0e-6f0b-4a7e-9d53-2b8f1c7a9e10',
  address: '203.0.113.7',
  outcome: 'succeeded',
  changes: [{ field: 'name', from: 'Store', to: 'Shop' }],
} satisfies z.input<typeof auditEntry>;

export const exampleDeadLetter = {
  id: exampleIds.deadLetter,
  service: 'subscriptions',
  consumer: 'subscriptions-invoices',
  type: 'processor.invoice.paid.v1',
  eventId: '0d9c3c52-5d6e-4f4a-9b1f-7f2f3a1c8e55',
  projectId: exampleIds.project,
  status: 'failed',
  attempts: 8,
  error: 'an unexpected error on our side; the log has it',
  occurredAt: createdAt,
  failedAt: updatedAt,
} satisfies z.input<typeof deadLetter>;

export const exampleApiKey = {
  id: exampleIds.apiKey,
  name: 'backend',
  scopes: ['customers:write', 'subscriptions:write'],
  prefix: 'bil_test_',
  last4: '0aXr',
  expiresAt: null,
  lastUsedAt: null,
  createdAt,
} satisfies z.input<typeof apiKey>;

/** Not a real secret: its checksum is wrong. */
export const exampleSecret = 'bil_test_EXAMPLEexampleEXAMPLEexampleEXAM0aXr';
