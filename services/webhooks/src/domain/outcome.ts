/** How one project's handling of an event ended. */
export type Outcome = 'processed' | 'failed' | 'ignored';
