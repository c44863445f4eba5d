import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const FigureSchema = defineEntity({
  name: 'Figure',
  tableName: 'figures',
  indexes: [
    { name: 'figures_over_all', properties: ['teamId', 'projectId', 'generation'], where: "day = ''" },
    {
      name: 'figures_moved',
      properties: ['teamId', 'projectId', 'generation', 'day'],
      where: "figure ~~ 'moved:%'",
    },
  ],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    generation: p.integer().primary(),
    figure: p.text().primary(),
    /** UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH`; empty for a figure over all time. */
    day: p.text().primary(),
    /** A whole number of any size. */
    amount: p.decimal().columnType('numeric'),
  },
});

/** The sum of what a project's subjects add to one figure. */
export class Figure extends FigureSchema.class {}
FigureSchema.setClass(Figure);
