/** What was measured on two cores by `npm run bench -- costs`; times are milliseconds of one core. */
export const MEASURED = {
  event: { postgres: 1.42, nats: 0.19, gateway: 0.37, services: 2.61, walBytes: 15_510, busBytes: 15_676 },
  request: { postgres: 7.01, nats: 0.07, gateway: 3.15, services: 4.82, walBytes: 3_790, busBytes: 1_254 },
  /** A scan every 300 s; disk with its schema of raw objects. */
  team: { msPerSecond: 0.022, diskBytes: 409 * 1_024 },
} as const;

/** What one machine or process gives; assumptions, not measured here. */
export const LIMITS = {
  /** Node runs one thread, and should have room for bursts. */
  coresPerProcess: 0.7,
  memoryPerProcessMb: 130,
  /** A stream has one leader, which stores its messages one after the other. */
  coresPerStream: 0.7,
  coresPerPostgres: 32,
  /** What one server writes to its log without falling behind its replicas. */
  walBytesPerPostgres: 200_000_000,
  /** Schemas of raw objects in one database: each has fifteen tables, and every connection remembers those that it used. */
  teamsPerDatabase: 10_000,
} as const;

/** How large a system is. */
export interface Size {
  readonly teams: number;
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
}

/** What a system of a size needs. */
export interface Needs extends Size {
  readonly cores: number;
  readonly serviceProcesses: number;
  readonly memoryGb: number;
  readonly streams: number;
  readonly postgresServers: number;
  /** What of PostgreSQL sets their number. */
  readonly postgresLimit: 'processor time' | 'log' | 'schemas of teams' | '-';
  readonly walMbPerSecond: number;
  readonly diskGbPerDay: number;
}

const SECONDS_PER_DAY = 86_400;

/** Returns what a system needs, from the measured costs and the assumed limits. */
export function needsOf(size: Size): Needs {
  const { teams, eventsPerSecond: events, requestsPerSecond: requests } = size;
  const { event, request, team } = MEASURED;
  const coresOf = (part: 'postgres' | 'nats' | 'gateway' | 'services') =>
    (events * event[part] + requests * request[part]) / 1_000;
  const postgres = coresOf('postgres');
  const processes =
    Math.ceil(coresOf('gateway') / LIMITS.coresPerProcess) +
    Math.max(7, Math.ceil((coresOf('services') + (teams * team.msPerSecond) / 1_000) / LIMITS.coresPerProcess));
  const walBytes = events * event.walBytes + requests * request.walBytes;
  const byLimit = [
    ['processor time', postgres / LIMITS.coresPerPostgres],
    ['log', walBytes / LIMITS.walBytesPerPostgres],
    ['schemas of teams', teams / LIMITS.teamsPerDatabase],
  ] as const;
  const [[limit, servers]] = byLimit.toSorted(([, a], [, b]) => b - a) as [(typeof byLimit)[number]]; // it has three
  return {
    ...size,
    cores: postgres + coresOf('nats') + coresOf('gateway') + coresOf('services') + (teams * team.msPerSecond) / 1_000,
    serviceProcesses: processes,
    memoryGb: (processes * LIMITS.memoryPerProcessMb) / 1_000,
    streams: Math.max(1, Math.ceil(coresOf('nats') / LIMITS.coresPerStream)),
    postgresServers: Math.max(1, Math.ceil(servers)),
    postgresLimit: servers > 1 ? limit : '-',
    walMbPerSecond: walBytes / 1_000_000,
    diskGbPerDay: (events * event.busBytes * SECONDS_PER_DAY) / 1_000_000_000,
  };
}
