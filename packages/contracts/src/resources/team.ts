import { z } from 'zod';
import { InvitationId, ProjectId, TeamId } from '../ids.ts';
import { currency } from '../money.ts';
import { email, text } from '../text.ts';
import { timestamp } from '../timestamp.ts';

export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const team = z.object({ id: TeamId.schema, name: z.string(), createdAt: timestamp });
export type Team = z.output<typeof team>;
export const teamCreate = z.strictObject({ name: text(120) });

export const member = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(MEMBER_ROLES),
  createdAt: timestamp,
});

/** An invitation that was not accepted, withdrawn or replaced, and has not expired. */
export const invitation = z.object({
  id: InvitationId.schema,
  email: z.string(),
  role: z.enum(MEMBER_ROLES),
  invitedBy: z.string(),
  expiresAt: timestamp,
  createdAt: timestamp,
});
export type Invitation = z.output<typeof invitation>;
/** `url` is the secret link; no other response contains it. */
export const issuedInvitation = invitation.extend({ url: z.string() });
export const invitationCreate = z.strictObject({ email, role: z.enum(MEMBER_ROLES) });

/** A project; its revenue is reported in `baseCurrency`. */
export const project = z.object({
  id: ProjectId.schema,
  teamId: TeamId.schema,
  name: z.string(),
  baseCurrency: currency,
  createdAt: timestamp,
});
export type Project = z.output<typeof project>;
export const projectCreate = z.strictObject({ name: text(120), baseCurrency: currency.default('usd') });
export const projectUpdate = z.strictObject({ name: text(120), baseCurrency: currency }).partial();
