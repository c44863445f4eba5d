import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/service/bound-statement';
import { FIGURE, LIFETIME_FIGURE, MOVED, readMovedFigure, type FigureKey, type Share } from '#domain/figures.ts';
import { addDays, dayOf, hourOf, type UtcDay } from '#domain/utc-day.ts';
import type { Window } from '#domain/window.ts';

/** The rows of a project that are shown, or those that a rebuild is making. */
export interface GenerationScope extends ProjectScope {
  readonly generation: number;
}

/** An amount to add to a figure. */
export type Addition = Share & GenerationScope;

/**
 * Adds to figures in the caller's transaction, which holds their projects: nobody else writes them meanwhile. Each
 * figure is written once, however many subjects add to it.
 */
export async function addToFigures(tx: EntityManager, additions: readonly Addition[]): Promise<void> {
  const sums = new Map<string, Addition>();
  for (const addition of additions) {
    const { projectId, generation, figure, day } = addition;
    const key = `${projectId} ${generation} ${figure} ${day}`;
    sums.set(key, { ...addition, amount: (sums.get(key)?.amount ?? 0n) + addition.amount });
  }
  const rows = [...sums.values()].filter(({ amount }) => amount !== 0n).map(it => ({ ...it, amount: `${it.amount}` }));
  if (rows.length === 0) return;
  await executeBound(
    tx,
    `insert into figures (team_id, project_id, generation, figure, day, amount)
     select "teamId", "projectId", generation, figure, day, amount
       from jsonb_to_recordset($1::jsonb) as
            it ("teamId" text, "projectId" text, generation int, figure text, day text, amount numeric)
      order by "teamId", "projectId", generation, figure, day
     on conflict (team_id, project_id, generation, figure, day) do update set amount = figures.amount + excluded.amount`,
    [JSON.stringify(rows)],
  );
}

type Row = FigureKey & { readonly amount: string };

const IN_SCOPE = 'team_id = ? and project_id = ? and generation = ?';
const DAILY = Object.values(LIFETIME_FIGURE).map(({ daily }) => daily);
const HOURLY = Object.values(LIFETIME_FIGURE).map(({ hourly }) => hourly);

/**
 * A project's figures over all time, its customers gained on days after the window's first, and the lifetimes after the
 * hour in which the window starts. The number of rows follows the window's length, not the project's size.
 */
export async function readFigures(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  window: Window,
) {
  const scope = [teamId, projectId, generation];
  const firstDay = dayOf(window.start);
  const rows = await em.execute<Row[]>(
    `select figure, day, amount::text as amount from figures where ${IN_SCOPE} and day = ''
     union all
     select figure, day, amount::text from figures where ${IN_SCOPE} and figure = ? and day > ?
     union all
     select figure, '', sum(amount)::text from figures where ${IN_SCOPE} and figure in (?) and day > ? group by figure
     union all
     select figure, '', sum(amount)::text from figures
      where ${IN_SCOPE} and figure in (?) and day > ? and day < ? group by figure`,
    [
      scope,
      [...scope, FIGURE.customersGained, firstDay],
      [...scope, DAILY, firstDay],
      [...scope, HOURLY, hourOf(window.start), addDays(firstDay, 1)],
    ].flat(1),
  );
  const overall = new Map(rows.filter(row => row.day === '').map(row => [row.figure, BigInt(row.amount)]));
  const total = (figure: string): bigint => overall.get(figure) ?? 0n;
  return {
    /** Every figure over all time. */
    overall,
    /** A figure over all time; 0 when nothing was ever added. */
    total,
    /** Customers gained by day; days without a change are left out. */
    customersGained: new Map(rows.filter(row => row.day !== '').map(row => [row.day, BigInt(row.amount)])),
    /** Lifetimes after the hour in which the window starts. */
    after: ({ daily, hourly }: { readonly daily: string; readonly hourly: string }) => total(daily) + total(hourly),
  };
}

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/** A project's figures over all time, and what its customers and revenue moved by on `day` and later. */
export async function readMovements(
  em: EntityManager,
  { teamId, projectId, generation }: GenerationScope,
  day: UtcDay,
) {
  const scope = [teamId, projectId, generation];
  const rows = await em.execute<Row[]>(
    `select figure, day, amount::text as amount from figures where ${IN_SCOPE} and day = ''
     union all
     select figure, day, amount::text from figures where ${IN_SCOPE} and figure = ? and day >= ?
     union all
     select figure, day, amount::text from figures where ${IN_SCOPE} and figure like '${MOVED}%' and day >= ?`,
    [...scope, ...scope, FIGURE.customersGained, day, ...scope, day],
  );
  return {
    overall: new Map(rows.filter(row => row.day === '').map(row => [row.figure, BigInt(row.amount)])),
    customersGained: new Map(
      rows.filter(row => row.figure === FIGURE.customersGained).map(row => [row.day, BigInt(row.amount)]),
    ),
    moved: rows.flatMap(row => {
      const term = readMovedFigure(row.figure, BigInt(row.amount));
      return term ? [{ ...term, day: row.day }] : [];
    }),
  };
}
