/** What a webhook event's `error` may say beside the reasons to ignore it. */

/** More projects have the customer than an event may go to. */
export const sentToSome = (projects: number, leftOut: number): string =>
  `fan_out_limited: sent to ${projects} projects and not to ${leftOut} more that have the customer`;
