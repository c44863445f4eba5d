import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { SubjectKind } from '#domain/sighting.ts';

/** Stands for the project of a webhook event that was not routed. */
export const NO_PROJECT = '';
export type SubjectProject = ProjectId | typeof NO_PROJECT;

const SubjectSchema = defineEntity({
  name: 'Subject',
  tableName: 'subjects',
  indexes: [
    {
      name: 'subjects_began',
      properties: ['teamId', 'projectId', 'generation', 'beganAt', 'endedAt'],
      where: 'began_at is not null',
    },
    {
      name: 'subjects_ended',
      properties: ['teamId', 'projectId', 'generation', 'endedAt', 'beganAt'],
      where: 'ended_at is not null',
    },
    { name: 'subjects_webhook_events', properties: ['teamId', 'id'], where: "kind = 'webhook-event'" },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<SubjectProject>().primary(),
    generation: p.integer().primary(),
    kind: p.text().$type<SubjectKind>().primary(),
    id: p.text().primary(),
    /** Of the newest state seen. */
    version: p.integer(),
    /** What the figures hold of this subject: `[figure, day, amount]` each. */
    shares: p.json<unknown>(),
    /** Only of a subscription that was activated. */
    beganAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

/** What the figures are made of, a row each: the newest state seen, as the shares it adds. */
export class Subject extends SubjectSchema.class {}
SubjectSchema.setClass(Subject);
