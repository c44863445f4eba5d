import { defineEntity, p } from '@mikro-orm/postgresql';
import type { InvitationId, TeamId } from '@billing/contracts/ids';
import { MEMBER_ROLES } from '@billing/contracts/resources/team';

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  indexes: [{ name: 'invitations_team_id_index', properties: ['teamId', 'createdAt'] }],
  properties: {
    id: p.text().primary().$type<InvitationId>(),
    teamId: p.text().$type<TeamId>(),
    email: p.text(),
    role: p.enum(MEMBER_ROLES),
    /** SHA-256 in hex; the token itself is not stored. */
    tokenHash: p.text().unique('invitations_token_hash_unique'),
    /** The owner who invited: a user of better-auth. */
    invitedBy: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** When it was accepted, withdrawn or replaced. */
    closedAt: p.datetime().strictNullable(),
  },
});

/** An invitation to a team. */
export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
