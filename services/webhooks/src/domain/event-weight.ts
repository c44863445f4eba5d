/** Objects above this size are not put on the bus, in bytes: for all projects of an event together. */
export const MAX_BYTES_ON_BUS = 32_768;
/** The part of a larger event that counts as one event, in bytes: about the size of a usual one. */
const UNIT_BYTES = 4_096;

/** So many superseded events take as long as one other event: they are only completed. */
const SUPERSEDED_AS_ONE = 4;

/**
 * For how many events of its team one counts where teams take turns: one for each project that it goes to, a large one for
 * what it costs to mirror and to read, and one that supersedes others for completing them.
 */
export const weightOf = (bytes: number, { projects = 1, superseded = 0 } = {}): number =>
  Math.max(projects, bytes > MAX_BYTES_ON_BUS ? Math.ceil(bytes / UNIT_BYTES) : 1) +
  Math.ceil(superseded / SUPERSEDED_AS_ONE);

/** The same in SQL, of a row of `webhook_events`. */
export const WEIGHT_OF_ROW = `greatest(cardinality(awaiting), 1,
  case when payload_bytes > ${MAX_BYTES_ON_BUS} then ceil(payload_bytes / ${UNIT_BYTES}.0) end)::int`;
