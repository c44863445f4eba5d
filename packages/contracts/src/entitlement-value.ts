/** A limit that nothing reaches. */
export const UNLIMITED = 'unlimited';

/** Returns whether a value allows anything: true, a limit above 0, or any of a feature's values. */
export const isAllowed = (value: boolean | number | string): boolean => value !== false && value !== 0;
