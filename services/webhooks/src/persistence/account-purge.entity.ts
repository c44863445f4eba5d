import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';

const AccountPurgeSchema = defineEntity({
  name: 'AccountPurge',
  tableName: 'account_purges',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    purgeId: p.uuid(),
    step: p.text().$type<'started' | 'finished'>(),
    /** The team's projects when it began. */
    projectIds: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** The services that have done the step. */
    reported: p.array<ServiceName>(value => value as ServiceName), // the column holds nothing else
    /** The latest time of a report, by the clock of its service. */
    until: p.datetime(),
  },
});

/** A purge under way: which services have deleted what mirrors a team's account. */
export class AccountPurge extends AccountPurgeSchema.class {}
AccountPurgeSchema.setClass(AccountPurge);
