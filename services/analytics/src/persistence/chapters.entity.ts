import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';

const ChaptersSchema = defineEntity({
  name: 'Chapters',
  tableName: 'chapters',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    subscriptionId: p.text().$type<SubscriptionId>().primary(),
    chapters: p.json<unknown>(),
  },
});

/**
 * What a subscription was worth over its versions. No other service keeps that, so a rebuild leaves these rows alone:
 * they are a source of the read model, not a part of it.
 */
export class Chapters extends ChaptersSchema.class {}
ChaptersSchema.setClass(Chapters);
