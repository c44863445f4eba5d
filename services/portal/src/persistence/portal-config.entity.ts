import { defineEntity, p, type EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope, TeamId } from '@billing/contracts/ids';
import { DEFAULT_PORTAL_CONFIG, type PortalConfig } from '@billing/contracts/resources/portal-config';

const SavedPortalConfigSchema = defineEntity({
  name: 'SavedPortalConfig',
  tableName: 'portal_configs',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    config: p.json<PortalConfig>(),
    updatedAt: p.datetime(),
  },
});

/** What a project has set for its portal. */
export class SavedPortalConfig extends SavedPortalConfigSchema.class {}
SavedPortalConfigSchema.setClass(SavedPortalConfig);

/** Returns what the portal of a project offers and how it looks; everything is off that was not set. */
export async function findPortalConfig(em: EntityManager, { teamId, projectId }: ProjectScope): Promise<PortalConfig> {
  const saved = await em.findOne(SavedPortalConfig, { teamId, projectId }, { disableIdentityMap: true });
  return { ...DEFAULT_PORTAL_CONFIG, ...saved?.config };
}
