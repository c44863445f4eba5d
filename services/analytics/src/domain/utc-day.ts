/** A calendar day in UTC, `YYYY-MM-DD`; days sort as text. */
export type UtcDay = string;

/** An hour of a calendar day in UTC, `YYYY-MM-DDTHH`; hours sort as text. */
export type UtcHour = string;

/** No day sorts before it. */
export const FIRST_DAY: UtcDay = '0000-01-01';

/** No day sorts after it. */
export const LAST_DAY: UtcDay = '9999-12-31';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The UTC day of a time. */
export const dayOf = (time: Date): UtcDay => time.toISOString().slice(0, 10);

/** The UTC hour of a time. */
export const hourOf = (time: Date): UtcHour => time.toISOString().slice(0, 13);

/** The first millisecond after a UTC hour. */
export const endOfHour = (hour: UtcHour): Date => new Date(Date.parse(`${hour}:00:00.000Z`) + HOUR_MS);

/** The day `days` days later, or earlier when negative. */
export const addDays = (day: UtcDay, days: number): UtcDay =>
  dayOf(new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS));

/** The last millisecond of a UTC day. */
export const endOfDay = (day: UtcDay): Date => new Date(`${day}T23:59:59.999Z`);

/** The time `days` × 24 hours earlier. */
export const daysBefore = (time: Date, days: number): Date => new Date(time.getTime() - days * DAY_MS);

export const laterOf = (one: Date, other: Date): Date => (one > other ? one : other);
