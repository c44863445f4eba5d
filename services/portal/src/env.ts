import { httpOrigin, processorEnv, serviceEnv } from '@billing/service/env';

/** The environment variables of the portal, beyond those of every service. */
export const portalEnv = serviceEnv.extend(processorEnv.shape).extend({
  /** Where customers reach the gateway. Every link is built from it, never from a request's headers. */
  PUBLIC_URL: httpOrigin,
});
