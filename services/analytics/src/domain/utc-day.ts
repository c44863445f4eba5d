/** A calendar day in UTC, `YYYY-MM-DD`; days compare as texts do. */
export type UtcDay = string;

/** An hour of a calendar day in UTC, `YYYY-MM-DDTHH`; hours compare as texts do. */
export type UtcHour = string;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The UTC day on which an instant falls. */
export const dayOf = (instant: Date): UtcDay => instant.toISOString().slice(0, 10);

/** The UTC hour in which an instant falls. */
export const hourOf = (instant: Date): UtcHour => instant.toISOString().slice(0, 13);

/** The first instant after a UTC hour. */
export const endOfHour = (hour: UtcHour): Date => new Date(Date.parse(`${hour}:00:00.000Z`) + HOUR_MS);

/** `days` days later, or earlier when negative. */
export const addDays = (day: UtcDay, days: number): UtcDay =>
  dayOf(new Date(Date.parse(`${day}T00:00:00.000Z`) + days * DAY_MS));

/** The instant `days` times 24 hours before. */
export const daysBefore = (instant: Date, days: number): Date => new Date(instant.getTime() - days * DAY_MS);
