import { processorEnv, serviceEnv } from '@billing/service/env';
import { z } from 'zod';

/** What the portal reads beside what every service reads. */
export const portalEnv = serviceEnv.extend(processorEnv.shape).extend({
  /** Where customers reach the gateway; every link is made from it, never from what a request says of itself. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
});
