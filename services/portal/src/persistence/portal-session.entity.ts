import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, PortalSessionId, ProjectId, TeamId } from '@billing/contracts/ids';

const PortalSessionSchema = defineEntity({
  name: 'PortalSession',
  tableName: 'portal_sessions',
  indexes: [
    { name: 'portal_sessions_customer', properties: ['teamId', 'projectId', 'customerId'] },
    { name: 'portal_sessions_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
  ],
  properties: {
    id: p.text().$type<PortalSessionId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    /** SHA-256 of the token, in hex: a reader of the table can open no portal. */
    tokenHash: p.text().unique('portal_sessions_token_hash_unique'),
    /** The tenant's page that the portal links back to. */
    returnUrl: p.text().nullable(),
    /** The language that the tenant chose, as a BCP 47 tag. */
    locale: p.text().nullable(),
    /** All three times are the database's. */
    expiresAt: p.datetime().index('portal_sessions_expires_at'),
    revokedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** A link that lets its holder see and change the billing of one customer. */
export class PortalSession extends PortalSessionSchema.class {}
PortalSessionSchema.setClass(PortalSession);
