import { z } from 'zod';
import { EXAMPLE_USER_ID, InvitationId, ProjectId, TeamId } from '../ids.ts';
import { withDefault } from '../optional.ts';
import { currency, storedCurrency } from '../money.ts';
import { email, text } from '../text.ts';
import { createdAt, timestamp } from '../timestamp.ts';

export const MEMBER_ROLES = ['owner', 'member'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** How many days the subscriptions of a new project go on giving their features when they are past due. */
export const DEFAULT_GRACE_DAYS = 7;

const name = (noun: string, example: string) => ({ description: `The name of the ${noun}.`, example });
const role = z
  .enum(MEMBER_ROLES)
  .meta({ description: 'Owners also manage members and the processor account.', example: 'member' });

export const team = z
  .object({ id: TeamId.schema, name: z.string().meta(name('team', 'Acme')), createdAt })
  .meta({ id: 'Team', description: 'A tenant: its members, its projects and one account at the payment processor.' });
export type Team = z.output<typeof team>;
export const teamCreate = z
  .strictObject({ name: text(120).meta(name('team', 'Acme')) })
  .meta({ id: 'TeamCreate', description: 'A team to create.' });
export const teamUpdate = teamCreate
  .partial()
  .meta({ id: 'TeamUpdate', description: 'The fields of a team to change.', example: { name: 'Acme Inc.' } });

export const member = z
  .object({
    userId: z.string().describe('The id of the user.'),
    email: z.string().describe('The address with which they sign in.'),
    name: z.string().describe('The name that they gave.'),
    role,
    createdAt: createdAt.describe('When they joined.'),
  })
  .meta({
    id: 'Member',
    description: 'A user who belongs to a team.',
    example: { userId: EXAMPLE_USER_ID, email: 'grace@acme.example', name: 'Grace Hopper' },
  });

/** An invitation that was not accepted, withdrawn or replaced, and has not expired. */
export const invitation = z
  .object({
    id: InvitationId.schema,
    email: z.string().meta({ description: 'The address that was invited.', example: 'lin@acme.example' }),
    role,
    invitedBy: z.string().meta({ description: 'The id of the owner who invited.', example: EXAMPLE_USER_ID }),
    expiresAt: timestamp.meta({ description: 'When the link stops working.', example: '2026-03-09T09:30:00.000Z' }),
    createdAt,
  })
  .meta({ id: 'Invitation', description: 'An open invitation to a team.' });
export type Invitation = z.output<typeof invitation>;

/** The secret at the end of an invitation's link. */
export const invitationToken = z.string().min(1).max(128).meta({
  description: 'The token at the end of an invitation’s link, which is a secret.',
  example: 'k3V9sT1wQ7xZ5bN8mR2cY6dL0pF4hJ7gA1eU3iO5tXs',
});

/** No other response contains the link. */
export const issuedInvitation = invitation
  .extend({
    url: z.string().meta({
      description: 'The secret link, which you send to the person. It is returned only once, and works for seven days.',
      example: 'https://billing.example.com/accept-invitation?token=k3V9sT1wQ7xZ5bN8mR2cY6dL0pF4hJ7gA1eU3iO5tXs',
    }),
  })
  .meta({ id: 'IssuedInvitation', description: 'A new invitation with its link.' });

export const invitationCreate = z
  .strictObject({
    email: email.meta({ description: 'The address to invite.', example: 'lin@acme.example' }),
    role,
  })
  .meta({ id: 'InvitationCreate', description: 'Whom to invite, and as what.' });

const BASE_CURRENCY = { description: `The currency of its revenue metrics. ${storedCurrency.description}` };

const graceDays = z.int().min(0).max(60).meta({
  description: 'How many days a subscription that is past due goes on giving its features.',
  example: 7,
});

const AUTOMATIC_TAX = {
  description: 'Whether the payment processor calculates the tax of checkouts that do not say it themselves.',
  example: false,
};

const ENTITLED_WHILE_PAUSED = {
  description: 'Whether subscriptions go on giving their features while their payments are paused.',
  example: true,
};

export const project = z
  .object({
    id: ProjectId.schema,
    teamId: TeamId.schema,
    name: z.string().meta(name('project', 'Shop')),
    baseCurrency: currency.meta(BASE_CURRENCY),
    entitlementGraceDays: graceDays,
    // Events from before there were these settings have none.
    automaticTax: z.boolean().default(false).meta(AUTOMATIC_TAX),
    entitlementsWhilePaused: z.boolean().default(true).meta(ENTITLED_WHILE_PAUSED),
    createdAt,
  })
  .meta({ id: 'Project', description: 'A project of a team; customers, products and prices belong to it.' });
export type Project = z.output<typeof project>;

export const projectCreate = z
  .strictObject({
    name: text(120).meta(name('project', 'Shop')),
    baseCurrency: withDefault(currency, 'usd').meta({ ...BASE_CURRENCY, example: 'usd' }),
    automaticTax: withDefault(z.boolean(), false).meta(AUTOMATIC_TAX),
  })
  .meta({ id: 'ProjectCreate', description: 'A project to create.' });

export const projectUpdate = z
  .strictObject({
    name: text(120).meta(name('project', 'Shop')),
    baseCurrency: currency.meta(BASE_CURRENCY),
    entitlementGraceDays: graceDays,
    automaticTax: z.boolean().meta(AUTOMATIC_TAX),
    entitlementsWhilePaused: z.boolean().meta(ENTITLED_WHILE_PAUSED),
  })
  .partial()
  .meta({ id: 'ProjectUpdate', description: 'The fields of a project to change.', example: { name: 'Web shop' } });
