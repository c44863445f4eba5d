import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const MetricSchema = defineEntity({
  name: 'Metric',
  tableName: 'metrics',
  indexes: [
    { name: 'metrics_all_time', properties: ['teamId', 'projectId', 'generation'], where: "bucket = ''" },
    {
      name: 'metrics_movements',
      properties: ['teamId', 'projectId', 'generation', 'bucket'],
      where: "metric ~~ 'movement:%'",
    },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    generation: p.integer().primary(),
    metric: p.text().primary(),
    /** A UTC day, hour or time: a part of `YYYY-MM-DDTHH:MM:SS.sssZ`; empty for a metric over all time. */
    bucket: p.text().primary(),
    /** A whole number of any size. */
    amount: p.decimal().columnType('numeric'),
  },
});

/** The sum of what a project's tracked records contribute to one metric. */
export class Metric extends MetricSchema.class {}
MetricSchema.setClass(Metric);
