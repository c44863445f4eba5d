/** An id, ours or Stripe's: its kind, an underscore, and letters and digits; a word such as `payment_intents` is none. */
const ID = /(?<=\/)(?:[a-z]+_)+(?=[a-zA-Z]*[0-9A-Z])[0-9a-zA-Z]{8,}(?=\/|$)/g;

/** Returns a path in which all ids are `:id`, so that the paths of one route look alike: `/v1/customers/:id`. */
export const pathWithoutIds = (path: string): string => path.replaceAll(ID, ':id');
