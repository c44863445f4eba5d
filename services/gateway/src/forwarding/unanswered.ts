import type { ServiceName } from '@billing/contracts/operation';
import { unavailable, type Problem } from '@billing/contracts/problem';

/** 503: a service is away, or takes too long. */
export function serviceUnavailable(service: ServiceName, cause?: unknown): Problem {
  return unavailable(`The ${service} service does not answer at the moment.`, 2, { cause });
}

/** 503: a service refuses nobody but the gateway with 401: keys and sessions were looked at here. */
export function disbelieved(service: ServiceName): Problem {
  return unavailable(
    `The ${service} service does not believe what the gateway says of who asks. Their clocks may differ by a minute, and IDENTITY_PUBLIC_KEY must be the gateway's.`,
    5,
  );
}
