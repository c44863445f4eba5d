import type { ServiceSchema } from '@billing/service/definition';
import { CreatePortal } from './migrations/0001-create-portal.ts';
import { SavedPortalConfig } from './portal-config.entity.ts';
import { PortalSession } from './portal-session.entity.ts';

/** The portal's own tables. */
export const portalSchema: ServiceSchema = {
  entities: [PortalSession, SavedPortalConfig],
  migrations: [{ name: '0001-create-portal', class: CreatePortal }],
};
