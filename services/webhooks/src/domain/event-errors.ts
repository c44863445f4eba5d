/** What a webhook event's `error` may say beside why it failed. */

/** Why an event of a handled type is ignored: its object and its customer belong to nobody here. */
export const FOREIGN = 'foreign';
/** Why an event of any type is ignored: it is of test mode and the account of live mode, or the other way round. */
export const LIVEMODE_MISMATCH = 'livemode_mismatch';

/** More projects have the customer than an event may go to. */
export const sentToSome = (projects: number, leftOut: number): string =>
  `fan_out_limited: sent to ${projects} projects and not to ${leftOut} more that have the customer`;
